module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<3xf32>, %arg3: tensor<8x3xf32>, %arg4: tensor<6x4xf32>, %arg5: tensor<6x3xf32>) -> (tensor<8xf32> {jax.result_info = "result[0]['b']"}, tensor<4x8xf32> {jax.result_info = "result[0]['w']"}, tensor<3xf32> {jax.result_info = "result[1]['b']"}, tensor<8x3xf32> {jax.result_info = "result[1]['w']"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %1 = stablehlo.dot_general %arg4, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
    %2 = stablehlo.dot_general %arg4, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
    %3 = stablehlo.dot_general %arg4, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
    %4 = stablehlo.add %2, %3 : tensor<6x8xf32>
    %5 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %6 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<6x8xf32>
    %8 = stablehlo.add %1, %7 : tensor<6x8xf32>
    %9 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<6x8xf32>
    %10 = stablehlo.add %4, %9 : tensor<6x8xf32>
    %11 = stablehlo.tanh %8 : tensor<6x8xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<6x8xf32>
    %13 = stablehlo.add %10, %12 : tensor<6x8xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %15 = stablehlo.subtract %14, %11 : tensor<6x8xf32>
    %16 = stablehlo.multiply %13, %15 : tensor<6x8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %18 = stablehlo.subtract %17, %11 : tensor<6x8xf32>
    %19 = stablehlo.negate %16 : tensor<6x8xf32>
    %20 = stablehlo.dot_general %11, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x3xf32>) -> tensor<6x3xf32>
    %21 = stablehlo.dot_general %16, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x3xf32>) -> tensor<6x3xf32>
    %22 = stablehlo.dot_general %11, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x3xf32>) -> tensor<6x3xf32>
    %23 = stablehlo.add %21, %22 : tensor<6x3xf32>
    %24 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %25 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %26 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<6x3xf32>
    %27 = stablehlo.add %20, %26 : tensor<6x3xf32>
    %28 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<6x3xf32>
    %29 = stablehlo.add %23, %28 : tensor<6x3xf32>
    %30:6 = call @log_softmax(%27, %29) : (tensor<6x3xf32>, tensor<6x3xf32>) -> (tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x1xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x1xf32>)
    %31 = stablehlo.multiply %30#0, %arg5 : tensor<6x3xf32>
    %32 = stablehlo.multiply %30#3, %arg5 : tensor<6x3xf32>
    %33 = stablehlo.multiply %30#0, %0 : tensor<6x3xf32>
    %34 = stablehlo.add %32, %33 : tensor<6x3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%31 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%34 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.reduce(%35 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%36 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %39 = stablehlo.divide %37, %cst_6 : tensor<f32>
    %cst_7 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %40 = stablehlo.divide %38, %cst_7 : tensor<f32>
    %41 = stablehlo.negate %39 : tensor<f32>
    %42 = stablehlo.negate %40 : tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.negate %cst_8 : tensor<f32>
    %cst_9 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %44 = stablehlo.divide %43, %cst_9 : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0] : (tensor<6xf32>) -> tensor<6x3xf32>
    %47 = stablehlo.multiply %46, %arg5 : tensor<6x3xf32>
    %48 = stablehlo.multiply %46, %0 : tensor<6x3xf32>
    %49:2 = call @log_softmax_0(%30#1, %30#2, %47, %30#4, %30#5, %48) : (tensor<6x3xf32>, tensor<6x1xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x1xf32>, tensor<6x3xf32>) -> (tensor<6x3xf32>, tensor<6x3xf32>)
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49#0 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<6x3xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%49#1 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<6x3xf32>, tensor<f32>) -> tensor<3xf32>
    %52 = stablehlo.reshape %50 : (tensor<3xf32>) -> tensor<1x3xf32>
    %53 = stablehlo.reshape %51 : (tensor<3xf32>) -> tensor<1x3xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%52 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%53 init: %cst_13) applies stablehlo.add across dimensions = [0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<3xf32>
    %56 = stablehlo.dot_general %49#0, %11, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<6x8xf32>) -> tensor<3x8xf32>
    %57 = stablehlo.dot_general %49#1, %11, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<6x8xf32>) -> tensor<3x8xf32>
    %58 = stablehlo.dot_general %49#0, %16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<6x8xf32>) -> tensor<3x8xf32>
    %59 = stablehlo.add %57, %58 : tensor<3x8xf32>
    %60 = stablehlo.transpose %56, dims = [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
    %61 = stablehlo.transpose %59, dims = [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
    %62 = stablehlo.dot_general %49#0, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<8x3xf32>) -> tensor<6x8xf32>
    %63 = stablehlo.dot_general %49#1, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<8x3xf32>) -> tensor<6x8xf32>
    %64 = stablehlo.dot_general %49#0, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<8x3xf32>) -> tensor<6x8xf32>
    %65 = stablehlo.add %63, %64 : tensor<6x8xf32>
    %66 = stablehlo.multiply %62, %18 : tensor<6x8xf32>
    %67 = stablehlo.multiply %65, %18 : tensor<6x8xf32>
    %68 = stablehlo.multiply %62, %19 : tensor<6x8xf32>
    %69 = stablehlo.add %67, %68 : tensor<6x8xf32>
    %70 = stablehlo.multiply %66, %11 : tensor<6x8xf32>
    %71 = stablehlo.multiply %69, %11 : tensor<6x8xf32>
    %72 = stablehlo.multiply %66, %16 : tensor<6x8xf32>
    %73 = stablehlo.add %71, %72 : tensor<6x8xf32>
    %74 = stablehlo.add %66, %70 : tensor<6x8xf32>
    %75 = stablehlo.add %69, %73 : tensor<6x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%74 init: %cst_14) applies stablehlo.add across dimensions = [0] : (tensor<6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.reduce(%75 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %78 = stablehlo.reshape %76 : (tensor<8xf32>) -> tensor<1x8xf32>
    %79 = stablehlo.reshape %77 : (tensor<8xf32>) -> tensor<1x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.reduce(%78 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.reduce(%79 init: %cst_17) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %82 = stablehlo.dot_general %74, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
    %83 = stablehlo.dot_general %75, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
    %84 = stablehlo.dot_general %74, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
    %85 = stablehlo.add %83, %84 : tensor<8x4xf32>
    %86 = stablehlo.transpose %82, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %87 = stablehlo.transpose %85, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    return %81, %87, %55, %61 : tensor<8xf32>, tensor<4x8xf32>, tensor<3xf32>, tensor<8x3xf32>
  }
  func.func private @log_softmax(%arg0: tensor<6x3xf32>, %arg1: tensor<6x3xf32>) -> (tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x1xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.reshape %0 : (tensor<6xf32>) -> tensor<6x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %3 = stablehlo.compare EQ, %arg0, %2, FLOAT : (tensor<6x3xf32>, tensor<6x3xf32>) -> tensor<6x3xi1>
    %4 = stablehlo.convert %3 : (tensor<6x3xi1>) -> tensor<6x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %6 = stablehlo.multiply %arg1, %4 : tensor<6x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.divide %7, %5 : tensor<6xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %10 = stablehlo.maximum %9, %0 : tensor<6xf32>
    %11 = stablehlo.compare EQ, %0, %10, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %14 = stablehlo.select %11, %12, %13 : tensor<6xi1>, tensor<6xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %16 = stablehlo.compare EQ, %15, %10, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %19 = stablehlo.select %16, %17, %18 : tensor<6xi1>, tensor<6xf32>
    %20 = stablehlo.divide %14, %19 : tensor<6xf32>
    %21 = stablehlo.multiply %8, %20 : tensor<6xf32>
    %22 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %25 = stablehlo.subtract %arg0, %24 : tensor<6x3xf32>
    %26 = stablehlo.exponential %25 : tensor<6x3xf32>
    %27 = stablehlo.multiply %arg1, %26 : tensor<6x3xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%26 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.reduce(%27 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %30 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %31 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %32 = stablehlo.log %30 : tensor<6x1xf32>
    %33 = stablehlo.divide %31, %30 : tensor<6x1xf32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %35 = stablehlo.subtract %25, %34 : tensor<6x3xf32>
    %36 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %37 = stablehlo.subtract %arg1, %36 : tensor<6x3xf32>
    return %35, %26, %30, %37, %27, %31 : tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x1xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x1xf32>
  }
  func.func private @log_softmax_0(%arg0: tensor<6x3xf32>, %arg1: tensor<6x1xf32>, %arg2: tensor<6x3xf32>, %arg3: tensor<6x3xf32>, %arg4: tensor<6x1xf32>, %arg5: tensor<6x3xf32>) -> (tensor<6x3xf32>, tensor<6x3xf32>) {
    %0 = stablehlo.negate %arg2 : tensor<6x3xf32>
    %1 = stablehlo.negate %arg5 : tensor<6x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.reshape %2 : (tensor<6xf32>) -> tensor<6x1xf32>
    %5 = stablehlo.reshape %3 : (tensor<6xf32>) -> tensor<6x1xf32>
    %6 = stablehlo.divide %4, %arg1 : tensor<6x1xf32>
    %7 = stablehlo.divide %5, %arg1 : tensor<6x1xf32>
    %8 = stablehlo.negate %arg4 : tensor<6x1xf32>
    %9 = stablehlo.multiply %8, %4 : tensor<6x1xf32>
    %10 = stablehlo.multiply %arg1, %arg1 : tensor<6x1xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %12 = stablehlo.divide %11, %10 : tensor<6x1xf32>
    %13 = stablehlo.multiply %9, %12 : tensor<6x1xf32>
    %14 = stablehlo.add %7, %13 : tensor<6x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%14 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %17 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<6xf32>) -> tensor<6x3xf32>
    %18 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<6xf32>) -> tensor<6x3xf32>
    %19 = stablehlo.multiply %17, %arg0 : tensor<6x3xf32>
    %20 = stablehlo.multiply %18, %arg0 : tensor<6x3xf32>
    %21 = stablehlo.multiply %17, %arg3 : tensor<6x3xf32>
    %22 = stablehlo.add %20, %21 : tensor<6x3xf32>
    %23 = stablehlo.add %arg2, %19 : tensor<6x3xf32>
    %24 = stablehlo.add %arg5, %22 : tensor<6x3xf32>
    return %23, %24 : tensor<6x3xf32>, tensor<6x3xf32>
  }
}
