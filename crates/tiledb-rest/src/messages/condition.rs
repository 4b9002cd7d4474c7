//! Query conditions.

use crate::encoding::{Data, List, TextField, messages};

messages! {
    /// A comparison, in the older form.
    ConditionClause: 1 word, 3 pointers {
        FIELD_NAME "fieldName" at pointer 0: TextField,
        VALUE "value" at pointer 1: Data,
        OP "op" at pointer 2: TextField,
        USE_ENUMERATION "useEnumeration" at 0: bool,
    }

    /// A comparison, or how others are combined.
    ASTNode: 1 word, 6 pointers {
        IS_EXPRESSION "isExpression" at 0: bool,
        FIELD_NAME "fieldName" at pointer 0: TextField,
        VALUE "value" at pointer 1: Data,
        OP "op" at pointer 2: TextField,
        CHILDREN "children" at pointer 3: List<ASTNode>,
        COMBINATION_OP "combinationOp" at pointer 4: TextField,
        USE_ENUMERATION "useEnumeration" at 1: bool,
        OFFSETS "offsets" at pointer 5: Data,
    }

    /// A condition: a tree, or in the older form clauses.
    Condition: 0 words, 3 pointers {
        CLAUSES "clauses" at pointer 0: List<ConditionClause>,
        CLAUSE_COMBINATION_OPS "clauseCombinationOps" at pointer 1: List<TextField>,
        TREE "tree" at pointer 2: ASTNode,
    }
}
