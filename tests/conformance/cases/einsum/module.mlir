module {
  func.func @main(%x: tensor<2x3x5xf32>, %y: tensor<2x3x4xf32>) -> (tensor<4x2x5xf32>, tensor<2x5x4xf32>) {
    %0 = stablehlo.einsum %x, %y, config = "abd,abc->cad" : (tensor<2x3x5xf32>, tensor<2x3x4xf32>) -> tensor<4x2x5xf32>
    %1 = "stablehlo.einsum"(%x, %y) <{einsum_config = "abd,abc->adc"}> : (tensor<2x3x5xf32>, tensor<2x3x4xf32>) -> tensor<2x5x4xf32>
    return %0, %1 : tensor<4x2x5xf32>, tensor<2x5x4xf32>
  }
}
