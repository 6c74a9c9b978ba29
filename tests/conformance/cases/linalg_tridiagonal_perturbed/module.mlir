module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x4xf32>) -> (tensor<2x4x4xf32> {jax.result_info = "result[0]"}, tensor<2x4x4xf32> {jax.result_info = "result[1]"}, tensor<2x4x4xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.slice %arg0 [0:2, 1:2, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %3 = stablehlo.add %1, %2 : tensor<2x4xf32>
    %4 = stablehlo.slice %arg0 [0:2, 1:2, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %5 = stablehlo.reshape %4 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %7 = stablehlo.subtract %5, %6 : tensor<2x4xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<2x4xf32>
    %10 = stablehlo.slice %arg0 [0:2, 1:2, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %11 = stablehlo.reshape %10 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %13 = stablehlo.multiply %12, %11 : tensor<2x4xf32>
    %14 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %15 = stablehlo.reshape %14 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %16 = stablehlo.slice %arg0 [0:2, 2:3, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %17 = stablehlo.reshape %16 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %18 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%15, %3, %17, %arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %19 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %20 = stablehlo.reshape %19 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %21 = stablehlo.slice %arg0 [0:2, 2:3, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %22 = stablehlo.reshape %21 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %23 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%20, %9, %22, %arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %24 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %25 = stablehlo.reshape %24 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %26 = stablehlo.slice %arg0 [0:2, 2:3, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %27 = stablehlo.reshape %26 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %28 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%25, %13, %27, %arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    return %18, %23, %28 : tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>
  }
}
