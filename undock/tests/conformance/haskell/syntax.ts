/** The part of Haskell used by the specs. Operators are applied functions. */
export type Expression =
  | { readonly kind: 'name'; readonly name: string; readonly line: number }
  | { readonly kind: 'literal'; readonly value: string | number }
  | { readonly kind: 'quotation'; readonly quoter: string; readonly text: string }
  | { readonly kind: 'apply'; readonly callee: Expression; readonly argument: Expression }
  | { readonly kind: 'lambda'; readonly patterns: readonly Pattern[]; readonly body: Expression }
  | { readonly kind: 'let'; readonly bindings: readonly Binding[]; readonly body: Expression }
  | { readonly kind: 'if'; readonly condition: Expression; readonly then: Expression; readonly otherwise: Expression }
  | { readonly kind: 'case'; readonly subject: Expression; readonly branches: readonly Branch[] }
  | { readonly kind: 'do'; readonly statements: readonly Statement[] }
  | { readonly kind: 'list' | 'tuple'; readonly items: readonly Expression[] }
  | { readonly kind: 'range'; readonly from: Expression; readonly to: Expression }
  | { readonly kind: 'record'; readonly base: Expression; readonly fields: readonly Field[] }

export type Field = { readonly name: string; readonly value: Expression }
export type Branch = { readonly pattern: Pattern; readonly body: Expression }

export type Pattern =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'literal'; readonly value: string | number }
  | { readonly kind: 'constructor'; readonly name: string; readonly items: readonly Pattern[] }
  | { readonly kind: 'list' | 'tuple'; readonly items: readonly Pattern[] }

export type Binding = {
  readonly name: string
  readonly parameters: readonly Pattern[]
  readonly body: Expression
}

export type Statement =
  | { readonly kind: 'expression'; readonly value: Expression }
  | { readonly kind: 'bind'; readonly pattern: Pattern; readonly value: Expression }
  | { readonly kind: 'let'; readonly bindings: readonly Binding[] }

/** A module's definitions, type signatures as text, and unreadable parts with the reason. */
export type Module = {
  readonly bindings: readonly Binding[]
  readonly signatures: ReadonlyMap<string, string>
  readonly unread: readonly string[]
}
