module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x4xcomplex<f32>>) -> (tensor<2x4x4xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<2x4x4xcomplex<f32>> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x1x4xcomplex<f32>>
    %1 = stablehlo.reshape %0 : (tensor<2x1x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %2 = stablehlo.slice %arg0 [0:2, 1:2, 0:4] : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x1x4xcomplex<f32>>
    %3 = stablehlo.reshape %2 : (tensor<2x1x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %cst = stablehlo.constant dense<(5.000000e-01,0.000000e+00)> : tensor<complex<f32>>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x4xcomplex<f32>>
    %5 = stablehlo.multiply %4, %3 : tensor<2x4xcomplex<f32>>
    %6 = stablehlo.slice %arg0 [0:2, 2:3, 0:4] : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x1x4xcomplex<f32>>
    %7 = stablehlo.reshape %6 : (tensor<2x1x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %8 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%1, %5, %7, %arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %9 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x1x4xcomplex<f32>>
    %10 = stablehlo.reshape %9 : (tensor<2x1x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %11 = stablehlo.slice %arg0 [0:2, 1:2, 0:4] : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x1x4xcomplex<f32>>
    %12 = stablehlo.reshape %11 : (tensor<2x1x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<2x4xcomplex<f32>>
    %14 = stablehlo.multiply %13, %12 : tensor<2x4xcomplex<f32>>
    %15 = stablehlo.slice %arg0 [0:2, 2:3, 0:4] : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x1x4xcomplex<f32>>
    %16 = stablehlo.reshape %15 : (tensor<2x1x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %17 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%10, %14, %16, %arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    return %8, %17 : tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>
  }
}
