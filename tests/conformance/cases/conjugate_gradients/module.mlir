module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.add %cst_0, %1 : tensor<f32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %3 = chlo.square %cst_1 : tensor<f32> -> tensor<f32>
    %4 = stablehlo.convert %3 : tensor<f32>
    %5 = stablehlo.multiply %4, %2 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = chlo.square %cst_2 : tensor<f32> -> tensor<f32>
    %7 = stablehlo.convert %6 : tensor<f32>
    %8 = stablehlo.maximum %5, %7 : tensor<f32>
    %cst_3 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.multiply %9, %0 : tensor<3xf32>
    %11 = stablehlo.reverse %0, dims = [0] : tensor<3xf32>
    %12 = stablehlo.add %10, %11 : tensor<3xf32>
    %13 = stablehlo.subtract %arg0, %12 : tensor<3xf32>
    %14 = stablehlo.dot_general %13, %13, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.add %cst_4, %14 : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %16:6 = stablehlo.while(%iterArg = %8, %iterArg_5 = %0, %iterArg_6 = %13, %iterArg_7 = %15, %iterArg_8 = %13, %iterArg_9 = %c) : tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<i32>
    cond {
      %17 = stablehlo.compare GT, %iterArg_7, %iterArg, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_10 = stablehlo.constant dense<30> : tensor<i32>
      %18 = stablehlo.compare LT, %iterArg_9, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_11 = stablehlo.constant dense<false> : tensor<i1>
      %19 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i1>) -> tensor<i1>
      %20 = stablehlo.compare NE, %18, %19, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %21 = stablehlo.convert %20 : tensor<i1>
      %22 = stablehlo.and %17, %21 : tensor<i1>
      stablehlo.return %22 : tensor<i1>
    } do {
      %cst_10 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %17 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %18 = stablehlo.multiply %17, %iterArg_8 : tensor<3xf32>
      %19 = stablehlo.reverse %iterArg_8, dims = [0] : tensor<3xf32>
      %20 = stablehlo.add %18, %19 : tensor<3xf32>
      %21 = stablehlo.dot_general %iterArg_8, %20, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %22 = stablehlo.add %cst_11, %21 : tensor<f32>
      %23 = stablehlo.divide %iterArg_7, %22 : tensor<f32>
      %24 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %25 = stablehlo.multiply %24, %iterArg_8 : tensor<3xf32>
      %26 = stablehlo.add %iterArg_5, %25 : tensor<3xf32>
      %27 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %28 = stablehlo.multiply %27, %20 : tensor<3xf32>
      %29 = stablehlo.subtract %iterArg_6, %28 : tensor<3xf32>
      %30 = stablehlo.dot_general %29, %29, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %31 = stablehlo.add %cst_12, %30 : tensor<f32>
      %32 = stablehlo.divide %31, %iterArg_7 : tensor<f32>
      %33 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %34 = stablehlo.multiply %33, %iterArg_8 : tensor<3xf32>
      %35 = stablehlo.add %29, %34 : tensor<3xf32>
      %c_13 = stablehlo.constant dense<1> : tensor<i32>
      %36 = stablehlo.add %iterArg_9, %c_13 : tensor<i32>
      stablehlo.return %iterArg, %26, %29, %31, %35, %36 : tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<i32>
    }
    return %16#1 : tensor<3xf32>
  }
}
