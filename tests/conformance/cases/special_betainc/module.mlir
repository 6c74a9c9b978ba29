module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9xf32>) -> (tensor<9xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<9xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %3 = stablehlo.divide %arg0, %2 : tensor<9xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %5 = stablehlo.compare EQ, %arg0, %4, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %7 = stablehlo.compare EQ, %1, %6, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %8 = stablehlo.or %5, %7 : tensor<9xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %10 = stablehlo.compare EQ, %1, %9, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_4 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %12 = stablehlo.compare EQ, %arg0, %11, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %13 = stablehlo.or %10, %12 : tensor<9xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %15 = stablehlo.compare EQ, %3, %14, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %17 = stablehlo.compare EQ, %3, %16, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %18 = stablehlo.not %15 : tensor<9xi1>
    %19 = stablehlo.not %17 : tensor<9xi1>
    %20 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %21 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %22 = stablehlo.or %20, %21 : tensor<9xi1>
    %23 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %24 = stablehlo.or %22, %23 : tensor<9xi1>
    %25 = stablehlo.and %13, %19 : tensor<9xi1>
    %26 = stablehlo.and %8, %15 : tensor<9xi1>
    %27 = stablehlo.or %25, %26 : tensor<9xi1>
    %28 = stablehlo.and %8, %18 : tensor<9xi1>
    %29 = stablehlo.and %13, %17 : tensor<9xi1>
    %30 = stablehlo.or %28, %29 : tensor<9xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %32 = stablehlo.compare LT, %arg0, %31, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %34 = stablehlo.compare LT, %1, %33, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %35 = stablehlo.or %32, %34 : tensor<9xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %37 = stablehlo.compare LT, %3, %36, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %38 = stablehlo.or %35, %37 : tensor<9xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %40 = stablehlo.compare GT, %3, %39, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %41 = stablehlo.or %38, %40 : tensor<9xi1>
    %42 = stablehlo.and %8, %13 : tensor<9xi1>
    %43 = stablehlo.or %42, %24 : tensor<9xi1>
    %44 = stablehlo.or %41, %43 : tensor<9xi1>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %46 = stablehlo.add %arg0, %45 : tensor<9xf32>
    %47 = stablehlo.add %arg0, %1 : tensor<9xf32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %49 = stablehlo.add %47, %48 : tensor<9xf32>
    %50 = stablehlo.divide %46, %49 : tensor<9xf32>
    %51 = stablehlo.compare LT, %3, %50, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %52 = stablehlo.select %51, %arg0, %1 : tensor<9xi1>, tensor<9xf32>
    %53 = stablehlo.select %51, %1, %arg0 : tensor<9xi1>, tensor<9xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %55 = stablehlo.subtract %54, %3 : tensor<9xf32>
    %56 = stablehlo.select %51, %3, %55 : tensor<9xi1>, tensor<9xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %57 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %58 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %59 = stablehlo.compare EQ, %57, %58, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %62 = stablehlo.select %59, %60, %61 : tensor<9xi1>, tensor<9xf32>
    %63 = stablehlo.abs %62 : tensor<9xf32>
    %cst_17 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %65 = stablehlo.compare LT, %63, %64, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_18 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %67 = stablehlo.select %65, %66, %62 : tensor<9xi1>, tensor<9xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %c_20 = stablehlo.constant dense<1> : tensor<i32>
    %c_21 = stablehlo.constant dense<true> : tensor<i1>
    %69:8 = stablehlo.while(%iterArg = %52, %iterArg_27 = %53, %iterArg_28 = %56, %iterArg_29 = %c_20, %iterArg_30 = %c_21, %iterArg_31 = %67, %iterArg_32 = %68, %iterArg_33 = %67) : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<i32>, tensor<i1>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
    cond {
      %c_34 = stablehlo.constant dense<200> : tensor<i32>
      %103 = stablehlo.compare LT, %iterArg_29, %c_34, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %104 = stablehlo.and %103, %iterArg_30 : tensor<i1>
      stablehlo.return %104 : tensor<i1>
    } do {
      %103 = stablehlo.broadcast_in_dim %iterArg_29, dims = [] : (tensor<i32>) -> tensor<9xi32>
      %c_34 = stablehlo.constant dense<2> : tensor<i32>
      %104 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i32>) -> tensor<9xi32>
      %105 = func.call @remainder(%103, %104) : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
      %c_35 = stablehlo.constant dense<0> : tensor<i32>
      %106 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<9xi32>
      %107 = stablehlo.compare EQ, %105, %106, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
      %c_36 = stablehlo.constant dense<1> : tensor<i32>
      %108 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<9xi32>
      %109 = stablehlo.compare EQ, %103, %108, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
      %c_37 = stablehlo.constant dense<1> : tensor<i32>
      %110 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<9xi32>
      %111 = stablehlo.subtract %103, %110 : tensor<9xi32>
      %c_38 = stablehlo.constant dense<2> : tensor<i32>
      %112 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i32>) -> tensor<9xi32>
      %113 = func.call @floor_divide(%111, %112) : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
      %c_39 = stablehlo.constant dense<0> : tensor<i32>
      %114 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<9xi32>
      %115 = stablehlo.compare EQ, %113, %114, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
      %116 = stablehlo.convert %113 : (tensor<9xi32>) -> tensor<9xf32>
      %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %117 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %cst_41 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %118 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %119 = stablehlo.add %iterArg, %iterArg_27 : tensor<9xf32>
      %120 = stablehlo.negate %119 : tensor<9xf32>
      %121 = stablehlo.multiply %120, %iterArg_28 : tensor<9xf32>
      %122 = stablehlo.add %iterArg, %117 : tensor<9xf32>
      %123 = stablehlo.divide %121, %122 : tensor<9xf32>
      %124 = stablehlo.add %iterArg, %116 : tensor<9xf32>
      %125 = stablehlo.negate %124 : tensor<9xf32>
      %126 = stablehlo.add %iterArg, %iterArg_27 : tensor<9xf32>
      %127 = stablehlo.add %126, %116 : tensor<9xf32>
      %128 = stablehlo.multiply %125, %127 : tensor<9xf32>
      %129 = stablehlo.multiply %128, %iterArg_28 : tensor<9xf32>
      %130 = stablehlo.multiply %118, %116 : tensor<9xf32>
      %131 = stablehlo.add %iterArg, %130 : tensor<9xf32>
      %132 = stablehlo.multiply %118, %116 : tensor<9xf32>
      %133 = stablehlo.add %iterArg, %132 : tensor<9xf32>
      %134 = stablehlo.add %133, %117 : tensor<9xf32>
      %135 = stablehlo.multiply %131, %134 : tensor<9xf32>
      %136 = stablehlo.divide %129, %135 : tensor<9xf32>
      %137 = stablehlo.select %115, %123, %136 : tensor<9xi1>, tensor<9xf32>
      %138 = stablehlo.subtract %iterArg_27, %116 : tensor<9xf32>
      %139 = stablehlo.multiply %116, %138 : tensor<9xf32>
      %140 = stablehlo.multiply %139, %iterArg_28 : tensor<9xf32>
      %141 = stablehlo.multiply %118, %116 : tensor<9xf32>
      %142 = stablehlo.add %iterArg, %141 : tensor<9xf32>
      %143 = stablehlo.subtract %142, %117 : tensor<9xf32>
      %144 = stablehlo.multiply %118, %116 : tensor<9xf32>
      %145 = stablehlo.add %iterArg, %144 : tensor<9xf32>
      %146 = stablehlo.multiply %143, %145 : tensor<9xf32>
      %147 = stablehlo.divide %140, %146 : tensor<9xf32>
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %148 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %149 = stablehlo.select %107, %137, %147 : tensor<9xi1>, tensor<9xf32>
      %150 = stablehlo.select %109, %148, %149 : tensor<9xi1>, tensor<9xf32>
      %151 = stablehlo.broadcast_in_dim %iterArg_29, dims = [] : (tensor<i32>) -> tensor<9xi32>
      %c_43 = stablehlo.constant dense<0> : tensor<i32>
      %152 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<i32>) -> tensor<9xi32>
      %153 = stablehlo.compare EQ, %151, %152, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
      %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %154 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %155 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %156 = stablehlo.select %153, %154, %155 : tensor<9xi1>, tensor<9xf32>
      %157 = stablehlo.divide %150, %iterArg_31 : tensor<9xf32>
      %158 = stablehlo.add %156, %157 : tensor<9xf32>
      %cst_46 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %159 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %160 = stablehlo.abs %158 : tensor<9xf32>
      %161 = stablehlo.compare LT, %160, %159, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
      %162 = stablehlo.select %161, %159, %158 : tensor<9xi1>, tensor<9xf32>
      %163 = stablehlo.multiply %150, %iterArg_32 : tensor<9xf32>
      %164 = stablehlo.add %156, %163 : tensor<9xf32>
      %165 = stablehlo.abs %164 : tensor<9xf32>
      %166 = stablehlo.compare LT, %165, %159, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
      %167 = stablehlo.select %166, %159, %164 : tensor<9xi1>, tensor<9xf32>
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %168 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %169 = stablehlo.divide %168, %167 : tensor<9xf32>
      %170 = stablehlo.multiply %162, %169 : tensor<9xf32>
      %171 = stablehlo.multiply %iterArg_33, %170 : tensor<9xf32>
      %c_48 = stablehlo.constant dense<1> : tensor<i32>
      %172 = stablehlo.add %iterArg_29, %c_48 : tensor<i32>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %173 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %174 = stablehlo.subtract %170, %173 : tensor<9xf32>
      %175 = stablehlo.abs %174 : tensor<9xf32>
      %cst_50 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %176 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %177 = stablehlo.compare GE, %175, %176, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
      %c_51 = stablehlo.constant dense<false> : tensor<i1>
      %178 = stablehlo.reduce(%177 init: %c_51) applies stablehlo.or across dimensions = [0] : (tensor<9xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_27, %iterArg_28, %172, %178, %162, %169, %171 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<i32>, tensor<i1>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
    }
    %70 = chlo.lgamma %53 : tensor<9xf32> -> tensor<9xf32>
    %71 = stablehlo.add %52, %53 : tensor<9xf32>
    %72 = chlo.lgamma %71 : tensor<9xf32> -> tensor<9xf32>
    %73 = stablehlo.subtract %70, %72 : tensor<9xf32>
    %74 = chlo.lgamma %52 : tensor<9xf32> -> tensor<9xf32>
    %75 = stablehlo.add %74, %73 : tensor<9xf32>
    %cst_22 = stablehlo.constant dense<2.3509887E-38> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %77 = stablehlo.compare LT, %52, %76, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %78 = stablehlo.negate %56 : tensor<9xf32>
    %79 = stablehlo.log_plus_one %78 : tensor<9xf32>
    %80 = stablehlo.multiply %79, %53 : tensor<9xf32>
    %81 = stablehlo.subtract %80, %73 : tensor<9xf32>
    %82 = stablehlo.exponential %81 : tensor<9xf32>
    %83 = stablehlo.log %56 : tensor<9xf32>
    %84 = stablehlo.multiply %83, %52 : tensor<9xf32>
    %85 = stablehlo.negate %56 : tensor<9xf32>
    %86 = stablehlo.log_plus_one %85 : tensor<9xf32>
    %87 = stablehlo.multiply %86, %53 : tensor<9xf32>
    %88 = stablehlo.add %84, %87 : tensor<9xf32>
    %89 = stablehlo.subtract %88, %75 : tensor<9xf32>
    %90 = stablehlo.exponential %89 : tensor<9xf32>
    %91 = stablehlo.divide %90, %52 : tensor<9xf32>
    %92 = stablehlo.select %77, %82, %91 : tensor<9xi1>, tensor<9xf32>
    %93 = stablehlo.multiply %69#7, %92 : tensor<9xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %95 = stablehlo.subtract %94, %93 : tensor<9xf32>
    %96 = stablehlo.select %51, %93, %95 : tensor<9xi1>, tensor<9xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %98 = stablehlo.select %27, %97, %96 : tensor<9xi1>, tensor<9xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %100 = stablehlo.select %30, %99, %98 : tensor<9xi1>, tensor<9xf32>
    %cst_26 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %102 = stablehlo.select %44, %101, %100 : tensor<9xi1>, tensor<9xf32>
    return %102 : tensor<9xf32>
  }
  func.func private @remainder(%arg0: tensor<9xi32>, %arg1: tensor<9xi32>) -> tensor<9xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %3 = call @_where(%1, %2, %arg1) : (tensor<9xi1>, tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<9xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<9xi1>, tensor<9xi1>) -> tensor<9xi1>
    %12 = stablehlo.and %11, %6 : tensor<9xi1>
    %13 = stablehlo.add %4, %3 : tensor<9xi32>
    %14 = stablehlo.select %12, %13, %4 : tensor<9xi1>, tensor<9xi32>
    return %14 : tensor<9xi32>
  }
  func.func private @_where(%arg0: tensor<9xi1>, %arg1: tensor<9xi32>, %arg2: tensor<9xi32>) -> tensor<9xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<9xi1>, tensor<9xi32>
    return %0 : tensor<9xi32>
  }
  func.func private @floor_divide(%arg0: tensor<9xi32>, %arg1: tensor<9xi32>) -> tensor<9xi32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<9xi32>
    %1 = stablehlo.sign %arg0 : tensor<9xi32>
    %2 = stablehlo.sign %arg1 : tensor<9xi32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<9xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<9xi1>
    %8 = stablehlo.compare NE, %3, %7, UNSIGNED : (tensor<9xi1>, tensor<9xi1>) -> tensor<9xi1>
    %9 = stablehlo.convert %8 : tensor<9xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<9xi1>
    %11 = stablehlo.compare NE, %6, %10, UNSIGNED : (tensor<9xi1>, tensor<9xi1>) -> tensor<9xi1>
    %12 = stablehlo.convert %11 : tensor<9xi1>
    %13 = stablehlo.and %9, %12 : tensor<9xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %15 = stablehlo.subtract %0, %14 : tensor<9xi32>
    %16 = call @_where_0(%13, %15, %0) : (tensor<9xi1>, tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
    return %16 : tensor<9xi32>
  }
  func.func private @_where_0(%arg0: tensor<9xi1>, %arg1: tensor<9xi32>, %arg2: tensor<9xi32>) -> tensor<9xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<9xi1>, tensor<9xi32>
    return %0 : tensor<9xi32>
  }
}
