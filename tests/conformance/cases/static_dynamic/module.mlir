module {
  func.func @main(%x: tensor<2x3xf32>, %at: tensor<2x1xi32>) -> (tensor<3x2xf32>, tensor<4x2x3xf32>, tensor<5xi32>, tensor<1x2xf32>, tensor<5x4xf32>, tensor<2x1x3xf32>) {
    %c = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
    %0 = stablehlo.dynamic_reshape %x, %c : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
    %c1 = stablehlo.constant dense<[4, 2, 3]> : tensor<3xi64>
    %1 = stablehlo.dynamic_broadcast_in_dim %x, %c1, dims = [1, 2] : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<4x2x3xf32>
    %c2 = stablehlo.constant dense<5> : tensor<1xi64>
    %2 = stablehlo.dynamic_iota %c2, dim = 0 : (tensor<1xi64>) -> tensor<5xi32>
    %s = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
    %l = stablehlo.constant dense<[1, 3]> : tensor<2xi64>
    %t = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
    %3 = stablehlo.real_dynamic_slice %x, %s, %l, %t : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>
    %z = stablehlo.constant dense<2.0> : tensor<f32>
    %h = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
    %4 = stablehlo.dynamic_pad %x, %z, %t, %h, %h : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x4xf32>
    %c3 = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
    %5 = "stablehlo.dynamic_gather"(%x, %at, %c3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x1x3xf32>
    return %0, %1, %2, %3, %4, %5 : tensor<3x2xf32>, tensor<4x2x3xf32>, tensor<5xi32>, tensor<1x2xf32>, tensor<5x4xf32>, tensor<2x1x3xf32>
  }
}
