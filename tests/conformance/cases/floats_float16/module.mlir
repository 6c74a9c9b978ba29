module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>) -> (tensor<8xf16> {jax.result_info = "result[0]"}, tensor<8xf16> {jax.result_info = "result[1]"}, tensor<8xf16> {jax.result_info = "result[2]"}, tensor<8xf16> {jax.result_info = "result[3]"}, tensor<8xf16> {jax.result_info = "result[4]"}, tensor<8xf16> {jax.result_info = "result[5]"}, tensor<8xf16> {jax.result_info = "result[6]"}, tensor<8xf16> {jax.result_info = "result[7]"}, tensor<8xf16> {jax.result_info = "result[8]"}, tensor<8xf16> {jax.result_info = "result[9]"}, tensor<8xf16> {jax.result_info = "result[10]"}, tensor<8xi32> {jax.result_info = "result[11]"}, tensor<8xf16> {jax.result_info = "result[12]"}, tensor<8xi1> {jax.result_info = "result[13]"}, tensor<8xi1> {jax.result_info = "result[14]"}, tensor<f16> {jax.result_info = "result[15]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<8xf32>) -> tensor<8xf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<8xf16>
    %2 = stablehlo.add %0, %1 : tensor<8xf16>
    %3 = stablehlo.multiply %0, %0 : tensor<8xf16>
    %4 = stablehlo.exponential %0 : tensor<8xf16>
    %5 = stablehlo.sine %0 : tensor<8xf16>
    %6 = stablehlo.sign %0 : tensor<8xf16>
    %7 = stablehlo.floor %0 : tensor<8xf16>
    %8 = call @round(%0) : (tensor<8xf16>) -> tensor<8xf16>
    %9 = stablehlo.abs %0 : tensor<8xf16>
    %10 = stablehlo.sqrt %9 : tensor<8xf16>
    %11 = stablehlo.abs %0 : tensor<8xf16>
    %12 = stablehlo.rsqrt %11 : tensor<8xf16>
    %13 = stablehlo.cbrt %0 : tensor<8xf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<8xf16>
    %15 = stablehlo.add %0, %14 : tensor<8xf16>
    %16 = chlo.next_after %0, %15 : tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
    %17 = stablehlo.convert %0 : (tensor<8xf16>) -> tensor<8xi32>
    %18 = stablehlo.reduce_precision %0, format = e5m4 : tensor<8xf16>
    %19 = stablehlo.is_finite %0 : (tensor<8xf16>) -> tensor<8xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %20 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<8xf16>
    %21 = stablehlo.compare GT, %0, %20, FLOAT : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xi1>
    %22 = stablehlo.convert %0 : (tensor<8xf16>) -> tensor<8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %24 = stablehlo.convert %23 : (tensor<f32>) -> tensor<f16>
    return %2, %3, %4, %5, %6, %7, %8, %10, %12, %13, %16, %17, %18, %19, %21, %24 : tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xi32>, tensor<8xf16>, tensor<8xi1>, tensor<8xi1>, tensor<f16>
  }
  func.func private @round(%arg0: tensor<8xf16>) -> tensor<8xf16> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<8xf16>
    return %0 : tensor<8xf16>
  }
}
