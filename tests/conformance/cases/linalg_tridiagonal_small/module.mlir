module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x4xf32>) -> (tensor<1x1xf32> {jax.result_info = "result[0]"}, tensor<1x1xf32> {jax.result_info = "result[1]"}, tensor<1x2xf32> {jax.result_info = "result[2]"}, tensor<1x2xf32> {jax.result_info = "result[3]"}, tensor<2x1xf32> {jax.result_info = "result[4]"}, tensor<2x1xf32> {jax.result_info = "result[5]"}, tensor<2x2xf32> {jax.result_info = "result[6]"}, tensor<2x2xf32> {jax.result_info = "result[7]"}, tensor<3x1xf32> {jax.result_info = "result[8]"}, tensor<3x1xf32> {jax.result_info = "result[9]"}, tensor<3x2xf32> {jax.result_info = "result[10]"}, tensor<3x2xf32> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:1, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x1x1xf32>) -> tensor<1xf32>
    %2 = stablehlo.slice %arg0 [0:1, 1:2, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x1x1xf32>) -> tensor<1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<1xf32>
    %6 = stablehlo.slice %arg0 [0:1, 2:3, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x1x1xf32>) -> tensor<1xf32>
    %8 = stablehlo.slice %arg0 [1:2, 0:1, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %9 = stablehlo.reshape %8 : (tensor<1x1x1xf32>) -> tensor<1x1xf32>
    %10 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%1, %5, %7, %9) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=1, j=1, k=1, l=1, m=1, n=1, o=1}, custom>} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %11 = stablehlo.slice %arg0 [0:1, 0:1, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x1x1xf32>) -> tensor<1xf32>
    %13 = stablehlo.slice %arg0 [0:1, 1:2, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x1x1xf32>) -> tensor<1xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %16 = stablehlo.multiply %15, %14 : tensor<1xf32>
    %17 = stablehlo.slice %arg0 [0:1, 2:3, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %18 = stablehlo.reshape %17 : (tensor<1x1x1xf32>) -> tensor<1xf32>
    %19 = stablehlo.slice %arg0 [1:2, 0:1, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x1x1xf32>) -> tensor<1x1xf32>
    %21 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%12, %16, %18, %20) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=1, j=1, k=1, l=1, m=1, n=1, o=1}, custom>} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %22 = stablehlo.slice %arg0 [0:1, 0:1, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x1x1xf32>) -> tensor<1xf32>
    %24 = stablehlo.slice %arg0 [0:1, 1:2, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %25 = stablehlo.reshape %24 : (tensor<1x1x1xf32>) -> tensor<1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %27 = stablehlo.multiply %26, %25 : tensor<1xf32>
    %28 = stablehlo.slice %arg0 [0:1, 2:3, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %29 = stablehlo.reshape %28 : (tensor<1x1x1xf32>) -> tensor<1xf32>
    %30 = stablehlo.slice %arg0 [1:2, 0:1, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %31 = stablehlo.reshape %30 : (tensor<1x1x2xf32>) -> tensor<1x2xf32>
    %32 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%23, %27, %29, %31) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=1, j=1, k=1, l=1, m=2, n=1, o=2}, custom>} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %33 = stablehlo.slice %arg0 [0:1, 0:1, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %34 = stablehlo.reshape %33 : (tensor<1x1x1xf32>) -> tensor<1xf32>
    %35 = stablehlo.slice %arg0 [0:1, 1:2, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %36 = stablehlo.reshape %35 : (tensor<1x1x1xf32>) -> tensor<1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %38 = stablehlo.multiply %37, %36 : tensor<1xf32>
    %39 = stablehlo.slice %arg0 [0:1, 2:3, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x1x1xf32>
    %40 = stablehlo.reshape %39 : (tensor<1x1x1xf32>) -> tensor<1xf32>
    %41 = stablehlo.slice %arg0 [1:2, 0:1, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %42 = stablehlo.reshape %41 : (tensor<1x1x2xf32>) -> tensor<1x2xf32>
    %43 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%34, %38, %40, %42) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=1, j=1, k=1, l=1, m=2, n=1, o=2}, custom>} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %44 = stablehlo.slice %arg0 [0:1, 0:1, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %45 = stablehlo.reshape %44 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %46 = stablehlo.slice %arg0 [0:1, 1:2, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %47 = stablehlo.reshape %46 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %49 = stablehlo.multiply %48, %47 : tensor<2xf32>
    %50 = stablehlo.slice %arg0 [0:1, 2:3, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %51 = stablehlo.reshape %50 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %52 = stablehlo.slice %arg0 [1:2, 0:2, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x2x1xf32>
    %53 = stablehlo.reshape %52 : (tensor<1x2x1xf32>) -> tensor<2x1xf32>
    %54 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%45, %49, %51, %53) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=2, j=2, k=2, l=2, m=1, n=2, o=1}, custom>} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    %55 = stablehlo.slice %arg0 [0:1, 0:1, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %56 = stablehlo.reshape %55 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %57 = stablehlo.slice %arg0 [0:1, 1:2, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %58 = stablehlo.reshape %57 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %60 = stablehlo.multiply %59, %58 : tensor<2xf32>
    %61 = stablehlo.slice %arg0 [0:1, 2:3, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %62 = stablehlo.reshape %61 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %63 = stablehlo.slice %arg0 [1:2, 0:2, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x2x1xf32>
    %64 = stablehlo.reshape %63 : (tensor<1x2x1xf32>) -> tensor<2x1xf32>
    %65 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%56, %60, %62, %64) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=2, j=2, k=2, l=2, m=1, n=2, o=1}, custom>} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    %66 = stablehlo.slice %arg0 [0:1, 0:1, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %67 = stablehlo.reshape %66 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %68 = stablehlo.slice %arg0 [0:1, 1:2, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %69 = stablehlo.reshape %68 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %71 = stablehlo.multiply %70, %69 : tensor<2xf32>
    %72 = stablehlo.slice %arg0 [0:1, 2:3, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %73 = stablehlo.reshape %72 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %74 = stablehlo.slice %arg0 [1:2, 0:2, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x2x2xf32>
    %75 = stablehlo.reshape %74 : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
    %76 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%67, %71, %73, %75) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=2, j=2, k=2, l=2, m=2, n=2, o=2}, custom>} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %77 = stablehlo.slice %arg0 [0:1, 0:1, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %78 = stablehlo.reshape %77 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %79 = stablehlo.slice %arg0 [0:1, 1:2, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %80 = stablehlo.reshape %79 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %82 = stablehlo.multiply %81, %80 : tensor<2xf32>
    %83 = stablehlo.slice %arg0 [0:1, 2:3, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x1x2xf32>
    %84 = stablehlo.reshape %83 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %85 = stablehlo.slice %arg0 [1:2, 0:2, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x2x2xf32>
    %86 = stablehlo.reshape %85 : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
    %87 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%78, %82, %84, %86) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=2, j=2, k=2, l=2, m=2, n=2, o=2}, custom>} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %88 = stablehlo.slice %arg0 [0:1, 0:1, 0:3] : (tensor<2x4x4xf32>) -> tensor<1x1x3xf32>
    %89 = stablehlo.reshape %88 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %90 = stablehlo.slice %arg0 [0:1, 1:2, 0:3] : (tensor<2x4x4xf32>) -> tensor<1x1x3xf32>
    %91 = stablehlo.reshape %90 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %93 = stablehlo.multiply %92, %91 : tensor<3xf32>
    %94 = stablehlo.slice %arg0 [0:1, 2:3, 0:3] : (tensor<2x4x4xf32>) -> tensor<1x1x3xf32>
    %95 = stablehlo.reshape %94 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %96 = stablehlo.slice %arg0 [1:2, 0:3, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x3x1xf32>
    %97 = stablehlo.reshape %96 : (tensor<1x3x1xf32>) -> tensor<3x1xf32>
    %98 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%89, %93, %95, %97) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=3, j=3, k=3, l=3, m=1, n=3, o=1}, custom>} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %99 = stablehlo.slice %arg0 [0:1, 0:1, 0:3] : (tensor<2x4x4xf32>) -> tensor<1x1x3xf32>
    %100 = stablehlo.reshape %99 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %101 = stablehlo.slice %arg0 [0:1, 1:2, 0:3] : (tensor<2x4x4xf32>) -> tensor<1x1x3xf32>
    %102 = stablehlo.reshape %101 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %104 = stablehlo.multiply %103, %102 : tensor<3xf32>
    %105 = stablehlo.slice %arg0 [0:1, 2:3, 0:3] : (tensor<2x4x4xf32>) -> tensor<1x1x3xf32>
    %106 = stablehlo.reshape %105 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %107 = stablehlo.slice %arg0 [1:2, 0:3, 0:1] : (tensor<2x4x4xf32>) -> tensor<1x3x1xf32>
    %108 = stablehlo.reshape %107 : (tensor<1x3x1xf32>) -> tensor<3x1xf32>
    %109 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%100, %104, %106, %108) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=3, j=3, k=3, l=3, m=1, n=3, o=1}, custom>} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %110 = stablehlo.slice %arg0 [0:1, 0:1, 0:3] : (tensor<2x4x4xf32>) -> tensor<1x1x3xf32>
    %111 = stablehlo.reshape %110 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %112 = stablehlo.slice %arg0 [0:1, 1:2, 0:3] : (tensor<2x4x4xf32>) -> tensor<1x1x3xf32>
    %113 = stablehlo.reshape %112 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %115 = stablehlo.multiply %114, %113 : tensor<3xf32>
    %116 = stablehlo.slice %arg0 [0:1, 2:3, 0:3] : (tensor<2x4x4xf32>) -> tensor<1x1x3xf32>
    %117 = stablehlo.reshape %116 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %118 = stablehlo.slice %arg0 [1:2, 0:3, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x3x2xf32>
    %119 = stablehlo.reshape %118 : (tensor<1x3x2xf32>) -> tensor<3x2xf32>
    %120 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%111, %115, %117, %119) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=3, j=3, k=3, l=3, m=2, n=3, o=2}, custom>} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %121 = stablehlo.slice %arg0 [0:1, 0:1, 0:3] : (tensor<2x4x4xf32>) -> tensor<1x1x3xf32>
    %122 = stablehlo.reshape %121 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %123 = stablehlo.slice %arg0 [0:1, 1:2, 0:3] : (tensor<2x4x4xf32>) -> tensor<1x1x3xf32>
    %124 = stablehlo.reshape %123 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %126 = stablehlo.multiply %125, %124 : tensor<3xf32>
    %127 = stablehlo.slice %arg0 [0:1, 2:3, 0:3] : (tensor<2x4x4xf32>) -> tensor<1x1x3xf32>
    %128 = stablehlo.reshape %127 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %129 = stablehlo.slice %arg0 [1:2, 0:3, 0:2] : (tensor<2x4x4xf32>) -> tensor<1x3x2xf32>
    %130 = stablehlo.reshape %129 : (tensor<1x3x2xf32>) -> tensor<3x2xf32>
    %131 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%122, %126, %128, %130) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n, o]) {i=3, j=3, k=3, l=3, m=2, n=3, o=2}, custom>} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %10, %21, %32, %43, %54, %65, %76, %87, %98, %109, %120, %131 : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x2xf32>, tensor<3x2xf32>
  }
}
