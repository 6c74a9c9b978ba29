module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x3xi32>, %arg1: tensor<3xf32>) -> (tensor<i64> {jax.result_info = "result[0]"}, tensor<5x3xi1> {jax.result_info = "result[1][0]"}, tensor<5xi64> {jax.result_info = "result[1][1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<5x3xi1>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<5xi64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %2:5 = stablehlo.while(%iterArg = %arg0, %iterArg_3 = %c_2, %iterArg_4 = %c, %iterArg_5 = %0, %iterArg_6 = %1) : tensor<5x3xi32>, tensor<i64>, tensor<i64>, tensor<5x3xi1>, tensor<5xi64>
    cond {
      %c_7 = stablehlo.constant dense<5> : tensor<i64>
      %3 = stablehlo.compare LT, %iterArg_3, %c_7, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_3) : (tensor<5x3xi32>, tensor<i64>) -> tensor<3xi32>
      %4:3 = func.call @closed_call(%iterArg_4, %3) : (tensor<i64>, tensor<3xi32>) -> (tensor<i64>, tensor<3xi1>, tensor<i64>)
      %5 = func.call @dynamic_update_index_in_dim(%iterArg_5, %4#1, %iterArg_3) : (tensor<5x3xi1>, tensor<3xi1>, tensor<i64>) -> tensor<5x3xi1>
      %6 = func.call @dynamic_update_index_in_dim_0(%iterArg_6, %4#2, %iterArg_3) : (tensor<5xi64>, tensor<i64>, tensor<i64>) -> tensor<5xi64>
      %c_7 = stablehlo.constant dense<1> : tensor<i64>
      %7 = stablehlo.add %iterArg_3, %c_7 : tensor<i64>
      stablehlo.return %iterArg, %7, %4#0, %5, %6 : tensor<5x3xi32>, tensor<i64>, tensor<i64>, tensor<5x3xi1>, tensor<5xi64>
    }
    return %2#2, %2#3, %2#4 : tensor<i64>, tensor<5x3xi1>, tensor<5xi64>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5x3xi32>, %arg1: tensor<i64>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 3] : (tensor<5x3xi32>, tensor<i64>, tensor<i64>) -> tensor<1x3xi32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xi32>) -> tensor<3xi32>
    return %1 : tensor<3xi32>
  }
  func.func private @closed_call(%arg0: tensor<i64>, %arg1: tensor<3xi32>) -> (tensor<i64>, tensor<3xi1>, tensor<i64>) {
    %0 = stablehlo.convert %arg1 : (tensor<3xi32>) -> tensor<3xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
    %2 = stablehlo.add %arg0, %1 : tensor<i64>
    %c_0 = stablehlo.constant dense<2> : tensor<i64>
    %3 = call @remainder(%arg1, %c_0) : (tensor<3xi32>, tensor<i64>) -> tensor<3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %5 = stablehlo.compare EQ, %3, %4, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    return %2, %5, %arg0 : tensor<i64>, tensor<3xi1>, tensor<i64>
  }
  func.func private @remainder(%arg0: tensor<3xi32>, %arg1: tensor<i64>) -> tensor<3xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %12 = stablehlo.and %11, %6 : tensor<3xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %14 = stablehlo.add %4, %13 : tensor<3xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<3xi1>, tensor<3xi32>
    return %15 : tensor<3xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5x3xi1>, %arg1: tensor<3xi1>, %arg2: tensor<i64>) -> tensor<5x3xi1> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xi1>) -> tensor<1x3xi1>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<5x3xi1>, tensor<1x3xi1>, tensor<i64>, tensor<i64>) -> tensor<5x3xi1>
    return %1 : tensor<5x3xi1>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<5xi64>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<5xi64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i64>) -> tensor<1xi64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<5xi64>, tensor<1xi64>, tensor<i64>) -> tensor<5xi64>
    return %1 : tensor<5xi64>
  }
}
