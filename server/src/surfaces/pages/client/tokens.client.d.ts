export interface Token {
  readonly kind?: 'comment' | 'name' | 'string' | 'word' | 'number'
  readonly text: string
}
export function tokens(code: string, language: string): Token[]
declare const text: string
export default text
