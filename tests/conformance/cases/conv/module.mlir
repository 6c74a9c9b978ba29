module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x8x7xf32>, %arg1: tensor<4x3x3x2xf32>) -> (tensor<2x4x8x7xf32> {jax.result_info = "result[0]"}, tensor<2x4x4x14xf32> {jax.result_info = "result[1]"}, tensor<2x4x17x14xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x8x7xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x8x7xf32>
    %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[1, 2], [-1, 3]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x8x7xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x4x14xf32>
    %2 = stablehlo.transpose %arg1, dims = [1, 0, 2, 3] : (tensor<4x3x3x2xf32>) -> tensor<3x4x3x2xf32>
    %3 = stablehlo.reverse %2, dims = [2] : tensor<3x4x3x2xf32>
    %4 = stablehlo.reverse %3, dims = [3] : tensor<3x4x3x2xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0, 2, 3] : (tensor<3x4x3x2xf32>) -> tensor<4x3x3x2xf32>
    %6 = stablehlo.convolution(%arg0, %5) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x8x7xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x17x14xf32>
    return %0, %1, %6 : tensor<2x4x8x7xf32>, tensor<2x4x4x14xf32>, tensor<2x4x17x14xf32>
  }
}
