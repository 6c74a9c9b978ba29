module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xcomplex<f64>>) -> (tensor<5xcomplex<f64>> {jax.result_info = "result[0]"}, tensor<5xf64> {jax.result_info = "result[1]"}, tensor<5xf64> {jax.result_info = "result[2]"}, tensor<5xcomplex<f64>> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.real %arg0 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %1 = stablehlo.imag %arg0 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %2 = stablehlo.negate %1 : tensor<5xf64>
    %3 = stablehlo.complex %0, %2 : tensor<5xcomplex<f64>>
    %4 = stablehlo.multiply %arg0, %3 : tensor<5xcomplex<f64>>
    %5 = stablehlo.abs %arg0 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %6 = call @angle(%arg0) : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %cst = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<5xcomplex<f64>>
    %8 = stablehlo.add %7, %arg0 : tensor<5xcomplex<f64>>
    %9 = stablehlo.divide %arg0, %8 : tensor<5xcomplex<f64>>
    return %4, %5, %6, %9 : tensor<5xcomplex<f64>>, tensor<5xf64>, tensor<5xf64>, tensor<5xcomplex<f64>>
  }
  func.func private @angle(%arg0: tensor<5xcomplex<f64>>) -> tensor<5xf64> {
    %0 = stablehlo.real %arg0 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %1 = stablehlo.imag %arg0 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %2 = stablehlo.atan2 %1, %0 : tensor<5xf64>
    return %2 : tensor<5xf64>
  }
}
