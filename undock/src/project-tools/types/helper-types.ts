/** @property kind The schema's property that the helper searches. @property option The name of the helper's first parameter, @property item
 *  and of its second. @property part The part of a table it returns, and the variable for that; null for the whole. */
type Helper = {
  readonly name: string
  readonly kind: string
  readonly option: string
  readonly item: string
  readonly part: readonly [property: string, variable: string] | null
}

const HELPERS: readonly Helper[] = [
  ...(['Insert', 'Update'] as const).map((part) => ({
    name: `Tables${part}`,
    kind: 'Tables',
    option: 'DefaultSchemaTableNameOrOptions',
    item: 'TableName',
    part: [part, part.charAt(0)] as const,
  })),
  { name: 'Enums', kind: 'Enums', option: 'DefaultSchemaEnumNameOrOptions', item: 'EnumName', part: null },
  {
    name: 'CompositeTypes',
    kind: 'CompositeTypes',
    option: 'PublicCompositeTypeNameOrOptions',
    item: 'CompositeTypeName',
    part: null,
  },
]

const taken = (part: Helper['part']): string =>
  part
    ? ` extends {
      ${part[0]}: infer ${part[1]}
    }
    ? ${part[1]}
    : never`
    : ''

const helperText = ({ name, kind, option, item, part }: Helper): string => {
  const ofOther = `DatabaseWithoutInternals[${option}["schema"]]["${kind}"]`
  return `export type ${name}<
  ${option} extends
    | keyof DefaultSchema["${kind}"]
    | { schema: keyof DatabaseWithoutInternals },
  ${item} extends ${option} extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof ${ofOther}
    : never = never
> = ${option} extends { schema: keyof DatabaseWithoutInternals }
  ? ${ofOther}[${item}]${taken(part)}
  : ${option} extends keyof DefaultSchema["${kind}"]
  ? DefaultSchema["${kind}"][${option}]${taken(part)}
  : never
`
}

/** Tables and views share names, so their helper looks for both. */
const TABLES = `export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName]${taken(['Row', 'R'])}
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
  ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions]${taken(['Row', 'R'])}
  : never
`

/** Helper types for naming rows, enums and composite types, the same for every database. */
export const HELPER_TYPES = [TABLES, ...HELPERS.map(helperText)].join('\n')
