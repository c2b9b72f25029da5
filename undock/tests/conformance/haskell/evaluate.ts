import type { Binding, Expression, Module, Pattern, Statement } from './syntax.ts'

/** A value of a spec: text, number, list, unary function, action, or a library value. */
export type Value = unknown

/** What happens when a block runs: a group of examples, an example, or a request. */
export class Action<Context = never> {
  readonly run: (context: Context) => Promise<Value>
  constructor(run: (context: Context) => Promise<Value>) {
    this.run = run
  }
}

export class Tuple {
  readonly items: readonly Value[]
  constructor(items: readonly Value[]) {
    this.items = items
  }
}

/** `Just value`, `Left reason`, or any other constructor with its arguments. */
export class Constructed {
  readonly name: string
  readonly items: readonly Value[]
  readonly fields: Readonly<Record<string, Value>>
  constructor(name: string, items: readonly Value[] = [], fields: Readonly<Record<string, Value>> = {}) {
    this.name = name
    this.items = items
    this.fields = fields
  }
}

/** A spec uses something this interpreter doesn't support. */
export class UntranslatableError extends Error {
  override name = 'UntranslatableError'
}

/** The names that the specs import. */
export type Library = {
  readonly names: Readonly<Record<string, Value>>
  quote(quoter: string, text: string, interpolate: (name: string) => Value): Value
  /** A record with some fields replaced. */
  withFields(base: Value, fields: Readonly<Record<string, Value>>): Value
  equal(one: Value, other: Value): boolean
  /** How a failed step of a block affects the following steps; throws to end the block. */
  failed(error: unknown, context: Value): void
}

type Names = ReadonlyMap<string, () => Value>
type Scope = { readonly names: Names; readonly outer: Scope | null }

/** Evaluates definitions of modules. Looks up names locally, then in the library, then in the modules in order. */
export class Interpreter {
  readonly #library: Library
  readonly #modules: readonly Names[]

  constructor(library: Library, modules: readonly Module[]) {
    this.#library = library
    this.#modules = modules.map(({ bindings }) => this.#define(bindings, () => null))
  }

  /** The value of a module's definition. @throws {UntranslatableError} */
  lookup(name: string, scope: Scope | null = null, line?: number): Value {
    for (let at = scope; at; at = at.outer) {
      const found = at.names.get(name)
      if (found) return found()
    }
    if (Object.hasOwn(this.#library.names, name)) return this.#library.names[name]
    for (const names of this.#modules) {
      const found = names.get(name)
      if (found) return found()
    }
    if (/^\p{Lu}/u.test(name)) return new Constructed(name)
    throw new UntranslatableError(`unknown name ${name}${line === undefined ? '' : ` in line ${line}`}`)
  }

  #bind(bindings: readonly Binding[], outer: Scope | null): Scope {
    const scope: Scope = { names: this.#define(bindings, () => scope), outer }
    return scope
  }

  /** @param scopeOf The scope of the definitions, which can include them. */
  #define(bindings: readonly Binding[], scopeOf: () => Scope | null): Names {
    return new Map(
      bindings.map(({ name, parameters, body }) => [name, once(() => this.#closure(parameters, body, scopeOf()))]),
    )
  }

  #closure([first, ...rest]: readonly Pattern[], body: Expression, scope: Scope | null): Value {
    if (!first) return this.#evaluate(body, scope)
    return (argument: Value) => {
      const inner = this.#match(first, argument, scope)
      if (!inner) throw new UntranslatableError('an argument fits no pattern')
      return this.#closure(rest, body, inner)
    }
  }

  #evaluate(expression: Expression, scope: Scope | null): Value {
    switch (expression.kind) {
      case 'name':
        return this.lookup(expression.name, scope, expression.line)
      case 'literal':
        return expression.value
      case 'quotation':
        return this.#library.quote(expression.quoter, expression.text, (name) => this.lookup(name, scope))
      case 'apply':
        return applyTo(this.#evaluate(expression.callee, scope), this.#evaluate(expression.argument, scope))
      case 'lambda':
        return this.#closure(expression.patterns, expression.body, scope)
      case 'let':
        return this.#evaluate(expression.body, this.#bind(expression.bindings, scope))
      case 'if':
        return this.#evaluate(
          this.#evaluate(expression.condition, scope) ? expression.then : expression.otherwise,
          scope,
        )
      case 'case': {
        const subject = this.#evaluate(expression.subject, scope)
        for (const { pattern, body } of expression.branches) {
          const inner = this.#match(pattern, subject, scope)
          if (inner) return this.#evaluate(body, inner)
        }
        throw new UntranslatableError('a value fits no branch')
      }
      case 'do':
        return new Action((context: Value) => this.#run(expression.statements, scope, context))
      case 'list':
        return expression.items.map((item) => this.#evaluate(item, scope))
      case 'tuple':
        return new Tuple(expression.items.map((item) => this.#evaluate(item, scope)))
      case 'range': {
        const from = Number(this.#evaluate(expression.from, scope))
        const to = Number(this.#evaluate(expression.to, scope))
        return Array.from({ length: to - from + 1 }, (_, index) => from + index)
      }
      case 'record': {
        const fields = expression.fields.map(({ name, value }) => [name, this.#evaluate(value, scope)])
        return this.#library.withFields(this.#evaluate(expression.base, scope), Object.fromEntries(fields))
      }
    }
  }

  async #run(statements: readonly Statement[], outer: Scope | null, context: Value): Promise<Value> {
    let scope = outer
    let last: Value
    for (const statement of statements) {
      try {
        if (statement.kind === 'let') {
          scope = this.#bind(statement.bindings, scope)
          continue
        }
        last = await perform(this.#evaluate(statement.value, scope), context)
        if (statement.kind === 'expression') continue
        const inner = this.#match(statement.pattern, last, scope)
        if (!inner) throw new UntranslatableError('a result fits no pattern')
        scope = inner
      } catch (error) {
        this.#library.failed(error, context)
      }
    }
    return last
  }

  /** @returns the scope with the pattern's names, or null if the value doesn't match. */
  #match(pattern: Pattern, value: Value, outer: Scope | null): Scope | null {
    switch (pattern.kind) {
      case 'wildcard':
        return { names: new Map(), outer }
      case 'name':
        return { names: new Map([[pattern.name, () => value]]), outer }
      case 'literal':
        return this.#library.equal(pattern.value, value) ? { names: new Map(), outer } : null
      case 'constructor':
        return value instanceof Constructed && value.name === pattern.name
          ? this.#matchAll(pattern.items, value.items, outer)
          : null
      case 'tuple':
        return value instanceof Tuple ? this.#matchAll(pattern.items, value.items, outer) : null
      case 'list':
        return Array.isArray(value) ? this.#matchAll(pattern.items, value, outer) : null
    }
  }

  #matchAll(patterns: readonly Pattern[], values: readonly Value[], outer: Scope | null): Scope | null {
    if (patterns.length !== values.length) return null
    return patterns.reduce<Scope | null>(
      (scope, pattern, index) => scope && this.#match(pattern, values[index], scope),
      { names: new Map(), outer },
    )
  }
}

/** Applies a function to one argument; a constructor appends it to its items. */
export function applyTo(callee: Value, argument: Value): Value {
  if (typeof callee === 'function') return (callee as (value: Value) => Value)(argument)
  if (callee instanceof Constructed) return new Constructed(callee.name, [...callee.items, argument])
  throw new UntranslatableError(`${JSON.stringify(callee)} is not a function`)
}

/** Runs an action; any other value is returned. */
export const perform = async (value: Value, context: Value): Promise<Value> =>
  value instanceof Action ? (value as Action<Value>).run(context) : value

function once(compute: () => Value): () => Value {
  let known: { readonly value: Value } | null = null
  return () => {
    known ??= { value: compute() }
    return known.value
  }
}
