module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "result[0]"}, tensor<8xf32> {jax.result_info = "result[1]"}, tensor<8xf32> {jax.result_info = "result[2]"}, tensor<8xf32> {jax.result_info = "result[3]"}, tensor<8xf32> {jax.result_info = "result[4]"}, tensor<8xf32> {jax.result_info = "result[5]"}, tensor<8xf32> {jax.result_info = "result[6]"}, tensor<8xf32> {jax.result_info = "result[7]"}, tensor<8xf32> {jax.result_info = "result[8]"}, tensor<8xf32> {jax.result_info = "result[9]"}, tensor<8xf32> {jax.result_info = "result[10]"}, tensor<8xi32> {jax.result_info = "result[11]"}, tensor<8xf32> {jax.result_info = "result[12]"}, tensor<8xi1> {jax.result_info = "result[13]"}, tensor<8xi1> {jax.result_info = "result[14]"}, tensor<f32> {jax.result_info = "result[15]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %2 = stablehlo.multiply %arg0, %arg0 : tensor<8xf32>
    %3 = stablehlo.exponential %arg0 : tensor<8xf32>
    %4 = stablehlo.sine %arg0 : tensor<8xf32>
    %5 = stablehlo.sign %arg0 : tensor<8xf32>
    %6 = stablehlo.floor %arg0 : tensor<8xf32>
    %7 = call @round(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %8 = stablehlo.abs %arg0 : tensor<8xf32>
    %9 = stablehlo.sqrt %8 : tensor<8xf32>
    %10 = stablehlo.abs %arg0 : tensor<8xf32>
    %11 = stablehlo.rsqrt %10 : tensor<8xf32>
    %12 = stablehlo.cbrt %arg0 : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %14 = stablehlo.add %arg0, %13 : tensor<8xf32>
    %15 = chlo.next_after %arg0, %14 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
    %16 = stablehlo.convert %arg0 : (tensor<8xf32>) -> tensor<8xi32>
    %17 = stablehlo.reduce_precision %arg0, format = e5m4 : tensor<8xf32>
    %18 = stablehlo.is_finite %arg0 : (tensor<8xf32>) -> tensor<8xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %20 = stablehlo.compare GT, %arg0, %19, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%arg0 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    return %1, %2, %3, %4, %5, %6, %7, %9, %11, %12, %15, %16, %17, %18, %20, %21 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<8xf32>, tensor<8xi1>, tensor<8xi1>, tensor<f32>
  }
  func.func private @round(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
