module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32>) -> (tensor<4x5xf32> {jax.result_info = "result[0]"}, tensor<4x5xf32> {jax.result_info = "result[1]"}) {
    %0 = call @cumsum(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %1 = stablehlo.slice %arg0 [0:3:2, 0:5] : (tensor<4x5xf32>) -> tensor<2x5xf32>
    %2 = stablehlo.slice %arg0 [1:4:2, 0:5] : (tensor<4x5xf32>) -> tensor<2x5xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<2x5xf32>
    %4 = stablehlo.slice %3 [0:1:2, 0:5] : (tensor<2x5xf32>) -> tensor<1x5xf32>
    %5 = stablehlo.slice %3 [1:2:2, 0:5] : (tensor<2x5xf32>) -> tensor<1x5xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<1x5xf32>
    %7 = stablehlo.slice %6 [0:0, 0:5] : (tensor<1x5xf32>) -> tensor<0x5xf32>
    %8 = stablehlo.slice %3 [2:2:2, 0:5] : (tensor<2x5xf32>) -> tensor<0x5xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<0x5xf32>
    %10 = stablehlo.slice %3 [0:1, 0:5] : (tensor<2x5xf32>) -> tensor<1x5xf32>
    %11 = stablehlo.concatenate %10, %9, dim = 0 : (tensor<1x5xf32>, tensor<0x5xf32>) -> tensor<1x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.pad %11, %cst, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<1x5xf32>, tensor<f32>) -> tensor<2x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.pad %6, %cst_0, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<1x5xf32>, tensor<f32>) -> tensor<2x5xf32>
    %14 = stablehlo.add %12, %13 : tensor<2x5xf32>
    %15 = stablehlo.slice %14 [0:1, 0:5] : (tensor<2x5xf32>) -> tensor<1x5xf32>
    %16 = stablehlo.slice %arg0 [2:4:2, 0:5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
    %17 = stablehlo.multiply %15, %16 : tensor<1x5xf32>
    %18 = stablehlo.slice %arg0 [0:1, 0:5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
    %19 = stablehlo.concatenate %18, %17, dim = 0 : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.pad %19, %cst_1, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.pad %14, %cst_2, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    %22 = stablehlo.add %20, %21 : tensor<4x5xf32>
    return %0, %22 : tensor<4x5xf32>, tensor<4x5xf32>
  }
  func.func private @cumsum(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 4]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    return %1 : tensor<4x5xf32>
  }
}
