module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>) -> (tensor<4x3x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4xf32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.reshape %2 : (tensor<f32>) -> tensor<1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
    %5 = stablehlo.compare EQ, %1, %4, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %6 = stablehlo.convert %5 : (tensor<4xi1>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = stablehlo.maximum %cst_1, %2 : tensor<f32>
    %9 = stablehlo.compare EQ, %2, %8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.select %9, %cst_3, %cst_2 : tensor<i1>, tensor<f32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %11 = stablehlo.compare EQ, %cst_4, %8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.select %11, %cst_6, %cst_5 : tensor<i1>, tensor<f32>
    %13 = stablehlo.divide %10, %12 : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
    %16 = stablehlo.subtract %1, %15 : tensor<4xf32>
    %17 = stablehlo.exponential %16 : tensor<4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
    %21 = stablehlo.divide %17, %20 : tensor<4xf32>
    %22 = stablehlo.multiply %19, %19 : tensor<1xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %24 = stablehlo.divide %23, %22 : tensor<1xf32>
    %25 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %26 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %28 = stablehlo.add %25, %27 : tensor<4x4xi32>
    %29 = stablehlo.compare EQ, %28, %26, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %30 = stablehlo.convert %29 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %31 = stablehlo.slice %30 [0:4, 0:4] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %32 = stablehlo.convert %31 : tensor<4x4xf32>
    %33 = stablehlo.broadcast_in_dim %24, dims = [1] : (tensor<1xf32>) -> tensor<1x1xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<4x4xf32>
    %35 = stablehlo.multiply %32, %34 : tensor<4x4xf32>
    %36 = stablehlo.broadcast_in_dim %17, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %38 = stablehlo.multiply %35, %37 : tensor<4x4xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %40 = stablehlo.reshape %39 : (tensor<4xf32>) -> tensor<4x1xf32>
    %41 = stablehlo.negate %40 : tensor<4x1xf32>
    %42 = stablehlo.broadcast_in_dim %19, dims = [1] : (tensor<1xf32>) -> tensor<1x1xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<4x4xf32>
    %44 = stablehlo.divide %32, %43 : tensor<4x4xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%41 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
    %47 = stablehlo.add %44, %46 : tensor<4x4xf32>
    %48 = stablehlo.broadcast_in_dim %17, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %50 = stablehlo.multiply %47, %49 : tensor<4x4xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 2] : (tensor<4x4xf32>) -> tensor<4x1x4xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.pad %51, %cst_11, low = [0, 0, 0], high = [0, 2, 0], interior = [0, 0, 0] : (tensor<4x1x4xf32>, tensor<f32>) -> tensor<4x3x4xf32>
    %53 = stablehlo.slice %52 [0:4, 0:3, 0:4] : (tensor<4x3x4xf32>) -> tensor<4x3x4xf32>
    return %53 : tensor<4x3x4xf32>
  }
}
