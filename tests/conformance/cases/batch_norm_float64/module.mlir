module {
  func.func @main(%x: tensor<2x2xf64>, %s: tensor<2xf64>) -> tensor<2x2xf64> {
    %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.0E-3 : f32, feature_index = 1 : i64}> : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
    return %0 : tensor<2x2xf64>
  }
}
