module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<8x4xf32>, %arg3: tensor<8x4xf32>) -> (tensor<2x5x4xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<2x5x8xf32>) -> tensor<2x5x8xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<8x4xf32>) -> tensor<8x4xbf16>
    %2 = stablehlo.convert %arg2 : (tensor<8x4xf32>) -> tensor<8x4xbf16>
    %3 = stablehlo.convert %arg3 : (tensor<8x4xf32>) -> tensor<8x4xbf16>
    %4 = stablehlo.dot_general %0, %1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xbf16>, tensor<8x4xbf16>) -> tensor<2x5x4xbf16>
    %5 = stablehlo.dot_general %0, %2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xbf16>, tensor<8x4xbf16>) -> tensor<2x5x4xbf16>
    %6 = stablehlo.dot_general %0, %3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xbf16>, tensor<8x4xbf16>) -> tensor<2x5x4xbf16>
    %7 = stablehlo.dot_general %4, %5, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x5x4xbf16>, tensor<2x5x4xbf16>) -> tensor<2x5x5xbf16>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %8 = stablehlo.sqrt %cst : tensor<f32>
    %9 = stablehlo.convert %8 : (tensor<f32>) -> tensor<bf16>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<bf16>) -> tensor<2x5x5xbf16>
    %11 = stablehlo.divide %7, %10 : tensor<2x5x5xbf16>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<5x5xi1>
    %13 = call @tril(%12) : (tensor<5x5xi1>) -> tensor<5x5xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %14 = call @_where(%13, %11, %cst_0) : (tensor<5x5xi1>, tensor<2x5x5xbf16>, tensor<f32>) -> tensor<2x5x5xbf16>
    %cst_1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %15 = stablehlo.reduce(%14 init: %cst_1) applies stablehlo.maximum across dimensions = [2] : (tensor<2x5x5xbf16>, tensor<bf16>) -> tensor<2x5xbf16>
    %cst_2 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<2x5xbf16>
    %17 = stablehlo.maximum %16, %15 : tensor<2x5xbf16>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<2x5xbf16>) -> tensor<2x5x1xbf16>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<2x5x1xbf16>) -> tensor<2x5x5xbf16>
    %20 = stablehlo.subtract %14, %19 : tensor<2x5x5xbf16>
    %21 = stablehlo.exponential %20 : tensor<2x5x5xbf16>
    %22 = stablehlo.convert %21 : (tensor<2x5x5xbf16>) -> tensor<2x5x5xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<2x5x5xf32>, tensor<f32>) -> tensor<2x5xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %25 = stablehlo.convert %24 : (tensor<2x5x1xf32>) -> tensor<2x5x1xbf16>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<2x5x1xbf16>) -> tensor<2x5x5xbf16>
    %27 = stablehlo.divide %21, %26 : tensor<2x5x5xbf16>
    %28 = stablehlo.dot_general %27, %6, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x5xbf16>, tensor<2x5x4xbf16>) -> tensor<2x5x4xbf16>
    return %28 : tensor<2x5x4xbf16>
  }
  func.func private @tril(%arg0: tensor<5x5xi1>) -> tensor<5x5xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<5x5xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5x5xi32>
    %2 = stablehlo.add %0, %1 : tensor<5x5xi32>
    %3 = stablehlo.iota dim = 1 : tensor<5x5xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<5x5xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<5x5xi1>, tensor<5x5xi1>
    return %6 : tensor<5x5xi1>
  }
  func.func private @_where(%arg0: tensor<5x5xi1>, %arg1: tensor<2x5x5xbf16>, %arg2: tensor<f32>) -> tensor<2x5x5xbf16> {
    %0 = stablehlo.convert %arg2 : (tensor<f32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<5x5xi1>) -> tensor<2x5x5xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<2x5x5xbf16>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x5x5xi1>, tensor<2x5x5xbf16>
    return %3 : tensor<2x5x5xbf16>
  }
}
