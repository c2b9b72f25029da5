import { TokenReader } from './layout.ts'
import { parseBinding } from './parse-expression.ts'
import type { Binding, Module } from './syntax.ts'
import { type Token, tokenize } from './tokens.ts'

/** Reads a module of specs. Lists unsupported definitions as unread. @throws if its text can't be split into tokens */
export function parseModule(source: string): Module {
  const bindings: Binding[] = []
  const signatures = new Map<string, string>()
  const unread: string[] = []
  for (const declaration of declarations(tokenize(source))) {
    const [first, second] = declaration as [Token, Token | undefined]
    if (SKIPPED.has(first.text)) continue
    if (second?.text === '::') {
      signatures.set(
        first.text,
        declaration
          .slice(2)
          .map(({ text }) => text)
          .join(' '),
      )
      continue
    }
    try {
      bindings.push(parseDeclaration(declaration))
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      unread.push(`${first.text}: ${error.message}`)
    }
  }
  return { bindings, signatures, unread }
}

const SKIPPED = new Set(['module', 'import', 'type', 'data', 'instance', 'where'])

/** Top-level declarations start in the first column. */
function declarations(tokens: readonly Token[]): Token[][] {
  const found: Token[][] = []
  for (const token of tokens) {
    if (token.isFirstOfLine && token.column === 1) found.push([])
    found.at(-1)?.push(token)
  }
  return found
}

function parseDeclaration(tokens: readonly Token[]): Binding {
  const reader = new TokenReader(tokens)
  const binding = parseBinding(reader)
  if (!reader.isAtEnd) throw reader.unexpected()
  return binding
}
