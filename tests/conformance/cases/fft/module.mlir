module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x8xcomplex<f32>>) -> (tensor<2x3x8xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<2x3x8xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<2x3x8xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<2x3x5xcomplex<f32>> {jax.result_info = "result[3]"}, tensor<2x3x10xf32> {jax.result_info = "result[4]"}, tensor<2x3x8xf32> {jax.result_info = "result[5]"}) {
    %0 = call @fft(%arg0) : (tensor<2x3x8xcomplex<f32>>) -> tensor<2x3x8xcomplex<f32>>
    %1 = call @fft_0(%arg0) : (tensor<2x3x8xcomplex<f32>>) -> tensor<2x3x8xcomplex<f32>>
    %2 = call @fft_1(%arg0) : (tensor<2x3x8xcomplex<f32>>) -> tensor<2x3x8xcomplex<f32>>
    %3 = stablehlo.real %arg0 : (tensor<2x3x8xcomplex<f32>>) -> tensor<2x3x8xf32>
    %4 = call @fft_2(%3) : (tensor<2x3x8xf32>) -> tensor<2x3x5xcomplex<f32>>
    %5 = stablehlo.slice %arg0 [0:2, 0:3, 0:6] : (tensor<2x3x8xcomplex<f32>>) -> tensor<2x3x6xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6 = call @_pad(%5, %c) : (tensor<2x3x6xcomplex<f32>>, tensor<i32>) -> tensor<2x3x6xcomplex<f32>>
    %7 = call @fft_3(%6) : (tensor<2x3x6xcomplex<f32>>) -> tensor<2x3x10xf32>
    %8 = stablehlo.slice %arg0 [0:2, 0:3, 0:5] : (tensor<2x3x8xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %9 = call @fft_4(%8) : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x8xf32>
    return %0, %1, %2, %4, %7, %9 : tensor<2x3x8xcomplex<f32>>, tensor<2x3x8xcomplex<f32>>, tensor<2x3x8xcomplex<f32>>, tensor<2x3x5xcomplex<f32>>, tensor<2x3x10xf32>, tensor<2x3x8xf32>
  }
  func.func private @fft(%arg0: tensor<2x3x8xcomplex<f32>>) -> tensor<2x3x8xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [8] : (tensor<2x3x8xcomplex<f32>>) -> tensor<2x3x8xcomplex<f32>>
    return %0 : tensor<2x3x8xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<2x3x8xcomplex<f32>>) -> tensor<2x3x8xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [3, 8] : (tensor<2x3x8xcomplex<f32>>) -> tensor<2x3x8xcomplex<f32>>
    return %0 : tensor<2x3x8xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<2x3x8xcomplex<f32>>) -> tensor<2x3x8xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [2, 3, 8] : (tensor<2x3x8xcomplex<f32>>) -> tensor<2x3x8xcomplex<f32>>
    return %0 : tensor<2x3x8xcomplex<f32>>
  }
  func.func private @fft_2(%arg0: tensor<2x3x8xf32>) -> tensor<2x3x5xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<2x3x8xf32>) -> tensor<2x3x5xcomplex<f32>>
    return %0 : tensor<2x3x5xcomplex<f32>>
  }
  func.func private @_pad(%arg0: tensor<2x3x6xcomplex<f32>>, %arg1: tensor<i32>) -> tensor<2x3x6xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<2x3x6xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2x3x6xcomplex<f32>>
    return %1 : tensor<2x3x6xcomplex<f32>>
  }
  func.func private @fft_3(%arg0: tensor<2x3x6xcomplex<f32>>) -> tensor<2x3x10xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [10] : (tensor<2x3x6xcomplex<f32>>) -> tensor<2x3x10xf32>
    return %0 : tensor<2x3x10xf32>
  }
  func.func private @fft_4(%arg0: tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x8xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [3, 8] : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x8xf32>
    return %0 : tensor<2x3x8xf32>
  }
}
