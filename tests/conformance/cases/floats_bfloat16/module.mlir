module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>) -> (tensor<8xbf16> {jax.result_info = "result[0]"}, tensor<8xbf16> {jax.result_info = "result[1]"}, tensor<8xbf16> {jax.result_info = "result[2]"}, tensor<8xbf16> {jax.result_info = "result[3]"}, tensor<8xbf16> {jax.result_info = "result[4]"}, tensor<8xbf16> {jax.result_info = "result[5]"}, tensor<8xbf16> {jax.result_info = "result[6]"}, tensor<8xbf16> {jax.result_info = "result[7]"}, tensor<8xbf16> {jax.result_info = "result[8]"}, tensor<8xbf16> {jax.result_info = "result[9]"}, tensor<8xbf16> {jax.result_info = "result[10]"}, tensor<8xi32> {jax.result_info = "result[11]"}, tensor<8xbf16> {jax.result_info = "result[12]"}, tensor<8xi1> {jax.result_info = "result[13]"}, tensor<8xi1> {jax.result_info = "result[14]"}, tensor<bf16> {jax.result_info = "result[15]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<8xf32>) -> tensor<8xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<8xbf16>
    %2 = stablehlo.add %0, %1 : tensor<8xbf16>
    %3 = stablehlo.multiply %0, %0 : tensor<8xbf16>
    %4 = stablehlo.exponential %0 : tensor<8xbf16>
    %5 = stablehlo.sine %0 : tensor<8xbf16>
    %6 = stablehlo.sign %0 : tensor<8xbf16>
    %7 = stablehlo.floor %0 : tensor<8xbf16>
    %8 = call @round(%0) : (tensor<8xbf16>) -> tensor<8xbf16>
    %9 = stablehlo.abs %0 : tensor<8xbf16>
    %10 = stablehlo.sqrt %9 : tensor<8xbf16>
    %11 = stablehlo.abs %0 : tensor<8xbf16>
    %12 = stablehlo.rsqrt %11 : tensor<8xbf16>
    %13 = stablehlo.cbrt %0 : tensor<8xbf16>
    %14 = stablehlo.convert %0 : (tensor<8xbf16>) -> tensor<8xi32>
    %15 = stablehlo.reduce_precision %0, format = e5m4 : tensor<8xbf16>
    %16 = stablehlo.is_finite %0 : (tensor<8xbf16>) -> tensor<8xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %17 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<8xbf16>
    %18 = stablehlo.compare GT, %0, %17, FLOAT : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<8xi1>
    %19 = stablehlo.convert %0 : (tensor<8xbf16>) -> tensor<8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %21 = stablehlo.convert %20 : (tensor<f32>) -> tensor<bf16>
    return %2, %3, %4, %5, %6, %7, %8, %10, %12, %13, %0, %14, %15, %16, %18, %21 : tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xi32>, tensor<8xbf16>, tensor<8xi1>, tensor<8xi1>, tensor<bf16>
  }
  func.func private @round(%arg0: tensor<8xbf16>) -> tensor<8xbf16> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<8xbf16>
    return %0 : tensor<8xbf16>
  }
}
