module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x9xf32>) -> (tensor<8x9xbf16> {jax.result_info = "result[0]"}, tensor<8x9xf16> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<8x9xf32>) -> tensor<8x9xbf16>
    %1 = call @cumsum(%0) : (tensor<8x9xbf16>) -> tensor<8x9xbf16>
    %2 = stablehlo.convert %arg0 : (tensor<8x9xf32>) -> tensor<8x9xf16>
    %3 = call @cumprod(%2) : (tensor<8x9xf16>) -> tensor<8x9xf16>
    return %1, %3 : tensor<8x9xbf16>, tensor<8x9xf16>
  }
  func.func private @cumsum(%arg0: tensor<8x9xbf16>) -> tensor<8x9xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<bf16>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[7, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 8, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<bf16>
      stablehlo.return %2 : tensor<bf16>
    }) : (tensor<8x9xbf16>, tensor<bf16>) -> tensor<8x9xbf16>
    return %1 : tensor<8x9xbf16>
  }
  func.func private @cumprod(%arg0: tensor<8x9xf16>) -> tensor<8x9xf16> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [8, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 9>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f16>, %arg2: tensor<f16>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<f16>
      stablehlo.return %1 : tensor<f16>
    }) : (tensor<8x9xf16>, tensor<f16>) -> tensor<8x9xf16>
    return %0 : tensor<8x9xf16>
  }
}
