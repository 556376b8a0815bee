/** Names that a spreadsheet would run as a formula, or that a reader of CSV could split or change. */
export const hostileNames = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  "'=1",
  "''@x",
  "'plain",
  '=a,"b"\nc',
  '"',
  '""',
  '\uFEFFx',
]
