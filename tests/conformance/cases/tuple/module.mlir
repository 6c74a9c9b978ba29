module {
  func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.negate %x : tensor<2xf32>
    %1 = stablehlo.tuple %x, %0 : tuple<tensor<2xf32>, tensor<2xf32>>
    %2 = stablehlo.create_token : !stablehlo.token
    %3 = stablehlo.after_all %2, %2 : !stablehlo.token
    %4 = stablehlo.get_tuple_element %1[1] : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
    %5 = "stablehlo.get_tuple_element"(%1) <{index = 0 : i32}> : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
    return %4, %5 : tensor<2xf32>, tensor<2xf32>
  }
}
