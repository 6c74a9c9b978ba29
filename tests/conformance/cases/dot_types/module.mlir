module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xi8>, %arg1: tensor<4x2xi8>, %arg2: tensor<3x4xcomplex<f32>>) -> (tensor<3x2xi32> {jax.result_info = "result[0]"}, tensor<3x2xi8> {jax.result_info = "result[1]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<3x2xf32> {jax.result_info = "result[3]"}, tensor<3x2xf16> {jax.result_info = "result[4]"}, tensor<3x2xf32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xi8>, tensor<4x2xi8>) -> tensor<3x2xi32>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xi8>, tensor<4x2xi8>) -> tensor<3x2xi8>
    %2 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<3x4xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
    %3 = stablehlo.dot_general %arg2, %2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xcomplex<f32>>, tensor<4x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    %4 = stablehlo.convert %arg0 : (tensor<3x4xi8>) -> tensor<3x4xbf16>
    %5 = stablehlo.convert %arg1 : (tensor<4x2xi8>) -> tensor<4x2xbf16>
    %6 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xbf16>, tensor<4x2xbf16>) -> tensor<3x2xf32>
    %7 = stablehlo.convert %arg0 : (tensor<3x4xi8>) -> tensor<3x4xf16>
    %8 = stablehlo.convert %arg1 : (tensor<4x2xi8>) -> tensor<4x2xf16>
    %9 = stablehlo.dot_general %7, %8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf16>, tensor<4x2xf16>) -> tensor<3x2xf16>
    %10 = stablehlo.convert %arg0 : (tensor<3x4xi8>) -> tensor<3x4xf32>
    %11 = stablehlo.convert %arg1 : (tensor<4x2xi8>) -> tensor<4x2xf32>
    %12 = stablehlo.dot_general %10, %11, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    return %0, %1, %3, %6, %9, %12 : tensor<3x2xi32>, tensor<3x2xi8>, tensor<3x3xcomplex<f32>>, tensor<3x2xf32>, tensor<3x2xf16>, tensor<3x2xf32>
  }
}
