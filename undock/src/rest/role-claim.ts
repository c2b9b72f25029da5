/** Where in a token's claims the role stands (`pgrst.jwt_role_claim_key`): `.role`, `."https://x/roles"[0]`, and at the end
 *  maybe `[?(@ == "editor")]`, which takes the first text of a list that meets it (PostgREST Config/JSPath.hs). */
export type RoleClaimPath = readonly Step[]

type Step =
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'filter'; readonly meets: (text: string) => boolean }

const STEP =
  /\.(?:([\p{L}\p{N}_$@]+)|"([^"]*)")|\[(\d+)\]|\[\?\(\s*@\s*(==\^|==|!=|\^==|\*==)\s*"((?:\\.|[^"\\])*)"\s*\)\](?=$)/uy

/** @returns null for what is no path. */
export function parseRoleClaimPath(text: string): RoleClaimPath | null {
  const steps: Step[] = []
  for (STEP.lastIndex = 0; STEP.lastIndex < text.length; ) {
    const found = STEP.exec(text)
    if (!found) return null
    const [, bare, quoted, index, operator, operand = ''] = found
    if (index !== undefined) steps.push({ kind: 'index', index: Number(index) })
    else if (operator !== undefined) steps.push({ kind: 'filter', meets: condition(operator, operand) })
    else steps.push({ kind: 'key', name: bare ?? quoted ?? '' })
  }
  return steps.length === 0 ? null : steps
}

function condition(operator: string, quoted: string): (text: string) => boolean {
  const operand = quoted.replace(/\\(.)/g, '$1')
  switch (operator) {
    case '!=':
      return (text) => text !== operand
    case '^==':
      return (text) => text.startsWith(operand)
    case '==^':
      return (text) => text.endsWith(operand)
    case '*==':
      return (text) => text.includes(operand)
    default:
      return (text) => text === operand
  }
}

/** The role that a token's claims name, null when they name none. */
export function roleIn(claims: unknown, path: RoleClaimPath): string | null {
  let value = claims
  for (const step of path) {
    if (step.kind === 'key') value = isRecord(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined
    else if (!Array.isArray(value)) return null
    else if (step.kind === 'index') value = value[step.index]
    else value = value.find((one) => typeof one === 'string' && step.meets(one))
  }
  return typeof value === 'string' && value !== '' ? value : null
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
