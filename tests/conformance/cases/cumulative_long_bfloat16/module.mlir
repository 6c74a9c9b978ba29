module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3000xbf16>) -> (tensor<3000xbf16> {jax.result_info = "result[0]"}, tensor<3000xbf16> {jax.result_info = "result[1]"}, tensor<3000xbf16> {jax.result_info = "result[2]"}) {
    %0 = call @cumsum(%arg0) : (tensor<3000xbf16>) -> tensor<3000xbf16>
    %1 = call @cumsum_0(%arg0) : (tensor<3000xbf16>) -> tensor<3000xbf16>
    %2 = call @cumlogsumexp(%arg0) : (tensor<3000xbf16>) -> tensor<3000xbf16>
    return %0, %1, %2 : tensor<3000xbf16>, tensor<3000xbf16>, tensor<3000xbf16>
  }
  func.func private @cumsum(%arg0: tensor<3000xbf16>) -> tensor<3000xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<bf16>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[2999, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3000>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<bf16>
      stablehlo.return %2 : tensor<bf16>
    }) : (tensor<3000xbf16>, tensor<bf16>) -> tensor<3000xbf16>
    return %1 : tensor<3000xbf16>
  }
  func.func private @cumsum_0(%arg0: tensor<3000xbf16>) -> tensor<3000xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<bf16>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[0, 2999]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3000>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<bf16>
      stablehlo.return %2 : tensor<bf16>
    }) : (tensor<3000xbf16>, tensor<bf16>) -> tensor<3000xbf16>
    return %1 : tensor<3000xbf16>
  }
  func.func private @cumlogsumexp(%arg0: tensor<3000xbf16>) -> tensor<3000xbf16> {
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1>, padding = dense<[[2999, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3000>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<bf16>
      %2 = stablehlo.subtract %arg1, %arg2 : tensor<bf16>
      %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %4 = stablehlo.add %arg1, %arg2 : tensor<bf16>
      %5 = stablehlo.abs %2 : tensor<bf16>
      %6 = stablehlo.negate %5 : tensor<bf16>
      %7 = stablehlo.exponential %6 : tensor<bf16>
      %8 = stablehlo.log_plus_one %7 : tensor<bf16>
      %9 = stablehlo.add %1, %8 : tensor<bf16>
      %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<bf16>
      stablehlo.return %10 : tensor<bf16>
    }) : (tensor<3000xbf16>, tensor<bf16>) -> tensor<3000xbf16>
    return %0 : tensor<3000xbf16>
  }
}
