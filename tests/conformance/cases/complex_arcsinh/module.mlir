module @jit_arcsinh attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7xcomplex<f32>>) -> (tensor<7xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = chlo.asinh %arg0 : tensor<7xcomplex<f32>> -> tensor<7xcomplex<f32>>
    return %0 : tensor<7xcomplex<f32>>
  }
}
