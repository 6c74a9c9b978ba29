module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.sine %arg0 : tensor<4xf32>
    %1 = stablehlo.sine %0 : tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3:2 = stablehlo.optimization_barrier %arg0, %cst_0 : tensor<4xf32>, tensor<f32>
    %4 = stablehlo.sine %3#0 : tensor<4xf32>
    %5 = stablehlo.cosine %3#0 : tensor<4xf32>
    %6 = stablehlo.cosine %4 : tensor<4xf32>
    %7 = stablehlo.broadcast_in_dim %3#1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<4xf32>
    %9 = stablehlo.multiply %8, %5 : tensor<4xf32>
    return %9 : tensor<4xf32>
  }
}
