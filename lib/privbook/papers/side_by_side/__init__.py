"""Methods beside each other at equal true budgets (chapter 13): what protects an edge, a record, a node."""
