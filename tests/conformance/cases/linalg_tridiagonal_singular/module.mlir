module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x4xf32>) -> (tensor<2x4x4xf32> {jax.result_info = "result[0]"}, tensor<2x4x4xf32> {jax.result_info = "result[1]"}, tensor<2x4x4xf32> {jax.result_info = "result[2]"}, tensor<2x4x4xf32> {jax.result_info = "result[3]"}, tensor<2x4x4xf32> {jax.result_info = "result[4]"}, tensor<2x4x4xf32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<2x4xf32>
    %4 = stablehlo.slice %arg0 [0:2, 1:2, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %5 = stablehlo.reshape %4 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<2x4xf32>
    %8 = stablehlo.slice %arg0 [0:2, 2:3, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %9 = stablehlo.reshape %8 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<2x4xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %13 = stablehlo.multiply %12, %arg0 : tensor<2x4x4xf32>
    %14 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%3, %7, %11, %13) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %15 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %16 = stablehlo.reshape %15 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %18 = stablehlo.multiply %17, %16 : tensor<2x4xf32>
    %19 = stablehlo.slice %arg0 [0:2, 1:2, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %20 = stablehlo.reshape %19 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %22 = stablehlo.multiply %21, %20 : tensor<2x4xf32>
    %23 = stablehlo.slice %arg0 [0:2, 2:3, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %24 = stablehlo.reshape %23 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %26 = stablehlo.multiply %25, %24 : tensor<2x4xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %28 = stablehlo.multiply %27, %arg0 : tensor<2x4x4xf32>
    %29 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%18, %22, %26, %28) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %30 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %31 = stablehlo.reshape %30 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %33 = stablehlo.multiply %32, %31 : tensor<2x4xf32>
    %34 = stablehlo.slice %arg0 [0:2, 1:2, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %35 = stablehlo.reshape %34 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %37 = stablehlo.multiply %36, %35 : tensor<2x4xf32>
    %38 = stablehlo.slice %arg0 [0:2, 2:3, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %39 = stablehlo.reshape %38 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %41 = stablehlo.multiply %40, %39 : tensor<2x4xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %43 = stablehlo.multiply %42, %arg0 : tensor<2x4x4xf32>
    %44 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%33, %37, %41, %43) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %45 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %46 = stablehlo.reshape %45 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %48 = stablehlo.multiply %47, %46 : tensor<2x4xf32>
    %49 = stablehlo.slice %arg0 [0:2, 1:2, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %50 = stablehlo.reshape %49 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_12 = stablehlo.constant dense<1.000000e-30> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %52 = stablehlo.multiply %51, %50 : tensor<2x4xf32>
    %53 = stablehlo.slice %arg0 [0:2, 2:3, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %54 = stablehlo.reshape %53 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %56 = stablehlo.multiply %55, %54 : tensor<2x4xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+20> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %58 = stablehlo.multiply %57, %arg0 : tensor<2x4x4xf32>
    %59 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%48, %52, %56, %58) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %60 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %61 = stablehlo.reshape %60 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_15 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %63 = stablehlo.multiply %62, %61 : tensor<2x4xf32>
    %64 = stablehlo.slice %arg0 [0:2, 1:2, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %65 = stablehlo.reshape %64 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_16 = stablehlo.constant dense<1.000000e-30> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %67 = stablehlo.multiply %66, %65 : tensor<2x4xf32>
    %68 = stablehlo.slice %arg0 [0:2, 2:3, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %69 = stablehlo.reshape %68 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_17 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %71 = stablehlo.multiply %70, %69 : tensor<2x4xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+20> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %73 = stablehlo.multiply %72, %arg0 : tensor<2x4x4xf32>
    %74 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%63, %67, %71, %73) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %75 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %76 = stablehlo.reshape %75 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %78 = stablehlo.multiply %77, %76 : tensor<2x4xf32>
    %79 = stablehlo.slice %arg0 [0:2, 1:2, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %80 = stablehlo.reshape %79 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_20 = stablehlo.constant dense<1.000000e-36> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %82 = stablehlo.multiply %81, %80 : tensor<2x4xf32>
    %83 = stablehlo.slice %arg0 [0:2, 2:3, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
    %84 = stablehlo.reshape %83 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %86 = stablehlo.multiply %85, %84 : tensor<2x4xf32>
    %cst_22 = stablehlo.constant dense<1.000000e-30> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %88 = stablehlo.multiply %87, %arg0 : tensor<2x4x4xf32>
    %89 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%78, %82, %86, %88) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    return %14, %29, %44, %59, %74, %89 : tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>
  }
}
