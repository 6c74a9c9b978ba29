module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x4xf32>) -> (tensor<4x3x2xf32> {jax.result_info = "result[0]"}, tensor<6x4xf32> {jax.result_info = "result[1]"}, tensor<2x3x4xf32> {jax.result_info = "result[2]"}, tensor<1x2x2xf32> {jax.result_info = "result[3]"}, tensor<5x3x5xf32> {jax.result_info = "result[4]"}, tensor<2x7x6xf32> {jax.result_info = "result[5]"}, tensor<2x6x4xf32> {jax.result_info = "result[6]"}, tensor<2x2x3x4xf32> {jax.result_info = "result[7]"}, tensor<5x2x3x4xf32> {jax.result_info = "result[8]"}, tensor<3x4xf32> {jax.result_info = "result[9]"}, tensor<4x3x4xf32> {jax.result_info = "result[10]"}, tensor<2x3x4xf32> {jax.result_info = "result[11]"}, tensor<2x3x4xf32> {jax.result_info = "result[12]"}, tensor<4x3x4xf32> {jax.result_info = "result[13]"}) {
    %0 = stablehlo.transpose %arg0, dims = [2, 1, 0] : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
    %2 = stablehlo.reverse %arg0, dims = [1] : tensor<2x3x4xf32>
    %3 = stablehlo.slice %arg0 [1:2, 0:3:2, 1:4:2] : (tensor<2x3x4xf32>) -> tensor<1x2x2xf32>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %4 = call @_pad(%arg0, %c) : (tensor<2x3x4xf32>, tensor<i32>) -> tensor<5x3x5xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.pad %arg0, %cst, low = [-1, 0, 1], high = [1, 0, -2], interior = [0, 2, 1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x7x6xf32>
    %6 = stablehlo.concatenate %arg0, %arg0, dim = 1 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
    %7 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2, 3] : (tensor<2x3x4xf32>) -> tensor<1x2x3x4xf32>
    %8 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2, 3] : (tensor<2x3x4xf32>) -> tensor<1x2x3x4xf32>
    %9 = stablehlo.concatenate %7, %8, dim = 0 : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<2x2x3x4xf32>
    %10 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1, 2, 3] : (tensor<2x1x4xf32>) -> tensor<5x2x3x4xf32>
    %12 = stablehlo.slice %arg0 [0:1, 0:3, 0:4] : (tensor<2x3x4xf32>) -> tensor<1x3x4xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x3x4xf32>) -> tensor<3x4xf32>
    %14 = stablehlo.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<1x2x1x3x1x4xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2, 3, 4, 5] : (tensor<1x2x1x3x1x4xf32>) -> tensor<2x2x1x3x1x4xf32>
    %16 = stablehlo.reshape %15 : (tensor<2x2x1x3x1x4xf32>) -> tensor<4x3x4xf32>
    %17 = call @_roll_static(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %18 = call @tril(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %19 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2, 3] : (tensor<2x3x4xf32>) -> tensor<2x2x3x4xf32>
    %20 = stablehlo.reshape %19 : (tensor<2x2x3x4xf32>) -> tensor<4x3x4xf32>
    return %0, %1, %2, %3, %4, %5, %6, %9, %11, %13, %16, %17, %18, %20 : tensor<4x3x2xf32>, tensor<6x4xf32>, tensor<2x3x4xf32>, tensor<1x2x2xf32>, tensor<5x3x5xf32>, tensor<2x7x6xf32>, tensor<2x6x4xf32>, tensor<2x2x3x4xf32>, tensor<5x2x3x4xf32>, tensor<3x4xf32>, tensor<4x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4x3x4xf32>
  }
  func.func private @_pad(%arg0: tensor<2x3x4xf32>, %arg1: tensor<i32>) -> tensor<5x3x5xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 0, 0], high = [2, 0, 1], interior = [0, 0, 0] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<5x3x5xf32>
    return %1 : tensor<5x3x5xf32>
  }
  func.func private @_roll_static(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = stablehlo.slice %arg0 [0:2, 0:3, 3:4] : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
    %1 = stablehlo.slice %arg0 [0:2, 0:3, 0:3] : (tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 2 : (tensor<2x3x1xf32>, tensor<2x3x3xf32>) -> tensor<2x3x4xf32>
    return %2 : tensor<2x3x4xf32>
  }
  func.func private @tril(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<3x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %2 = stablehlo.add %0, %1 : tensor<3x4xi32>
    %3 = stablehlo.iota dim = 1 : tensor<3x4xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<3x4xi1>) -> tensor<2x3x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x4xf32>
    %7 = stablehlo.select %5, %arg0, %6 : tensor<2x3x4xi1>, tensor<2x3x4xf32>
    return %7 : tensor<2x3x4xf32>
  }
}
