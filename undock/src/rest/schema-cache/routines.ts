import { type Sql, sql } from '../../kernel/sql.ts'
import { isolationLevel, splitSetting } from '../settings.ts'
import type { QualifiedName, Routine, RoutineParameter } from './model.ts'
import { DOMAINS } from './tables.ts'

/** Reads callable functions: no triggers, aggregates or procedures, and no unnamed arguments except a single body. */
export const routinesQuery = (schemas: readonly string[]): Sql => sql`
with ${DOMAINS}
select pn.nspname as schema, p.proname as name, obj_description(p.oid, 'pg_proc') as description,
  coalesce(a.parameters, '[]') as parameters,
  tn.nspname as "typeSchema", t.typname as "typeName",
  p.proretset as set,
  t.typtype = 'c' or coalesce(p.proargmodes::text[] && array['t', 'b', 'o'], false) as composite,
  p.provolatile::text as volatility, p.provariadic > 0 as "hasVariadic",
  coalesce(p.proconfig, '{}') as config,
  has_function_privilege(p.oid, 'execute') as executable
from pg_catalog.pg_proc p
join pg_catalog.pg_namespace pn on pn.oid = p.pronamespace
left join domains d on d.oid = p.prorettype
join pg_catalog.pg_type t on t.oid = coalesce(d.base, p.prorettype)
join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace
left join lateral (
  select json_agg(json_build_object(
      'name', coalesce(p.proargnames[u.position], ''),
      'type', u.type::regtype::text,
      'unlimitedType', case u.type
        when 'bit'::regtype then 'bit varying' when 'bit[]'::regtype then 'bit varying[]'
        when 'character'::regtype then 'character varying' when 'character[]'::regtype then 'character varying[]'
        else u.type::regtype::text end,
      'required', u.position <= p.pronargs - p.pronargdefaults,
      'variadic', coalesce(p.proargmodes[u.position] = 'v', false)
    ) order by u.position) as parameters,
    count(*) - count(p.proargnames[u.position]) as unnamed,
    (array_agg(u.type))[1] in ('bytea'::regtype, 'json'::regtype, 'jsonb'::regtype, 'text'::regtype, 'xml'::regtype) as whole
  from unnest(p.proargtypes) with ordinality u(type, position)
) a on true
where p.prokind = 'f' and t.oid <> 'trigger'::regtype and pn.nspname = any(${schemas})
  and (coalesce(a.unnamed, 0) = 0 or a.unnamed = 1 and a.whole)`

export type RoutineRow = QualifiedName & {
  readonly description: string | null
  readonly parameters: readonly RoutineParameter[]
  readonly typeSchema: string
  readonly typeName: string
  readonly set: boolean
  readonly composite: boolean
  readonly volatility: 'v' | 's' | 'i'
  readonly hasVariadic: boolean
  readonly config: readonly string[]
  readonly executable: boolean
}

/** @param hoisted Function settings that apply to the whole transaction. */
export function toRoutine(row: RoutineRow, hoisted: readonly string[]): Routine {
  const config = row.config.map(splitSetting)
  const isolation = config.find(([name]) => name === 'default_transaction_isolation')?.[1]
  return {
    schema: row.schema,
    name: row.name,
    description: row.description,
    parameters: row.parameters,
    returns: { type: { schema: row.typeSchema, name: row.typeName }, set: row.set, composite: row.composite },
    volatility: row.volatility === 'i' ? 'immutable' : row.volatility === 's' ? 'stable' : 'volatile',
    hasVariadic: row.hasVariadic,
    isolation: isolation === undefined ? null : isolationLevel(isolation),
    settings: Object.fromEntries(config.filter(([name]) => hoisted.includes(name))),
  }
}

/** Orders overloads for trying and listing: fewer parameters first. */
export const compareRoutines = (one: Routine, other: Routine): number =>
  one.parameters.length - other.parameters.length || (signature(one) < signature(other) ? -1 : 1)

const signature = ({ description, parameters }: Routine): string =>
  JSON.stringify([description ?? '', ...parameters.map(({ name, type }) => [name, type])])
