module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<5x3xf32>, %arg2: tensor<3x3xf32>) -> (tensor<3xf32> {jax.result_info = "result[0]"}, tensor<5xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg1 [0:4, 0:3] : (tensor<5x3xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.slice %arg1 [4:5, 0:3] : (tensor<5x3xf32>) -> tensor<1x3xf32>
    %2 = stablehlo.reshape %0 : (tensor<4x3xf32>) -> tensor<2x2x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4:5 = stablehlo.while(%iterArg = %2, %iterArg_0 = %arg2, %iterArg_1 = %c, %iterArg_2 = %arg0, %iterArg_3 = %3) : tensor<2x2x3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<3xf32>, tensor<2x2xf32>
    cond {
      %c_4 = stablehlo.constant dense<2> : tensor<i32>
      %11 = stablehlo.compare LT, %iterArg_1, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    } do {
      %11 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_1) : (tensor<2x2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
      %12 = stablehlo.slice %11 [0:1, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
      %13 = stablehlo.reshape %12 : (tensor<1x3xf32>) -> tensor<3xf32>
      %14:2 = func.call @closed_call(%iterArg_0, %iterArg_2, %13) : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>)
      %15 = stablehlo.slice %11 [1:2, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
      %16 = stablehlo.reshape %15 : (tensor<1x3xf32>) -> tensor<3xf32>
      %17:2 = func.call @closed_call(%iterArg_0, %14#0, %16) : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>)
      %18 = stablehlo.broadcast_in_dim %14#1, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %19 = stablehlo.broadcast_in_dim %17#1, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %20 = stablehlo.concatenate %18, %19, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
      %21 = func.call @dynamic_update_index_in_dim(%iterArg_3, %20, %iterArg_1) : (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2x2xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %22 = stablehlo.add %iterArg_1, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %22, %17#0, %21 : tensor<2x2x3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<3xf32>, tensor<2x2xf32>
    }
    %5 = stablehlo.reshape %4#4 : (tensor<2x2xf32>) -> tensor<4xf32>
    %6 = stablehlo.slice %1 [0:1, 0:3] : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x3xf32>) -> tensor<3xf32>
    %8:2 = call @closed_call(%arg2, %4#3, %7) : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>)
    %9 = stablehlo.broadcast_in_dim %8#1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %10 = stablehlo.concatenate %5, %9, dim = 0 : (tensor<4xf32>, tensor<1xf32>) -> tensor<5xf32>
    return %8#0, %10 : tensor<3xf32>, tensor<5xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x2x3xf32>, %arg1: tensor<i32>) -> tensor<2x3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 3] : (tensor<2x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
  func.func private @closed_call(%arg0: tensor<3x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<3xf32>
    %2 = stablehlo.tanh %1 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %2, %3 : tensor<3xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<2x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>) -> tensor<2x2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<2x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  }
}
