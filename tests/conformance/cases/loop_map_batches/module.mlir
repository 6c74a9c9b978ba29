module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<5x3xf32>, %arg2: tensor<3x3xf32>) -> (tensor<5x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg1 [0:4, 0:3] : (tensor<5x3xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<4x3xf32>) -> tensor<2x2x3xf32>
    %2 = stablehlo.slice %arg1 [4:5, 0:3] : (tensor<5x3xf32>) -> tensor<1x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4:5 = stablehlo.while(%iterArg = %1, %iterArg_0 = %arg2, %iterArg_1 = %arg0, %iterArg_2 = %c, %iterArg_3 = %3) : tensor<2x2x3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<i32>, tensor<2x2x3xf32>
    cond {
      %c_4 = stablehlo.constant dense<2> : tensor<i32>
      %12 = stablehlo.compare LT, %iterArg_2, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    } do {
      %12 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_2) : (tensor<2x2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
      %13 = func.call @closed_call(%iterArg_0, %iterArg_1, %12) : (tensor<3x3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      %14 = func.call @dynamic_update_index_in_dim(%iterArg_3, %13, %iterArg_2) : (tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<2x2x3xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %15 = stablehlo.add %iterArg_2, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %15, %14 : tensor<2x2x3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<i32>, tensor<2x2x3xf32>
    }
    %5 = stablehlo.dot_general %arg2, %2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<1x3xf32>) -> tensor<3x1xf32>
    %6 = stablehlo.sine %5 : tensor<3x1xf32>
    %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<3x1xf32>) -> tensor<1x3xf32>
    %8 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<1x3xf32>
    %10 = stablehlo.reshape %4#4 : (tensor<2x2x3xf32>) -> tensor<4x3xf32>
    %11 = stablehlo.concatenate %10, %9, dim = 0 : (tensor<4x3xf32>, tensor<1x3xf32>) -> tensor<5x3xf32>
    return %11 : tensor<5x3xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x2x3xf32>, %arg1: tensor<i32>) -> tensor<2x3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 3] : (tensor<2x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
  func.func private @closed_call(%arg0: tensor<3x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.sine %0 : tensor<3x2xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
    %5 = stablehlo.multiply %2, %4 : tensor<2x3xf32>
    return %5 : tensor<2x3xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<2x2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<i32>) -> tensor<2x2x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<2x2x3xf32>, tensor<1x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x2x3xf32>
    return %1 : tensor<2x2x3xf32>
  }
}
