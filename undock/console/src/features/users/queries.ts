import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { readJson, service } from '../../lib/api.ts'

export const usersKey = ['users']

/** Filters for kinds of users. */
export const STATES = {
  unconfirmed: 'u.confirmed_at is null and not u.is_anonymous',
  banned: 'u.banned_until > now()',
  anonymous: 'u.is_anonymous',
  deleted: 'u.deleted_at is not null',
} as const
type State = keyof typeof STATES

/** @property search Part of an address, a phone number, a name or an id. */
export type UserFilter = {
  readonly search: string
  readonly provider: string | undefined
  readonly state: State | undefined
}

/** @property place Where the next page begins. Times are ISO 8601. */
export type ListedUser = {
  readonly id: string
  readonly email: string | null
  readonly phone: string | null
  readonly name: string | null
  readonly providers: readonly string[]
  readonly createdAt: string | null
  readonly lastSignInAt: string | null
  readonly isConfirmed: boolean
  readonly isBanned: boolean
  readonly isAnonymous: boolean
  readonly isDeleted: boolean
  readonly place: readonly [createdAt: string, id: string]
}

const PAGE = 100
const NAME = "coalesce(u.raw_user_meta_data ->> 'full_name', u.raw_user_meta_data ->> 'name')"
const CREATED = "coalesce(u.created_at, '-infinity')"

const conditionOf = (state: State | undefined): string => `
  ($1 = '' or strpos(lower(u.email), lower($1)) > 0 or strpos(u.phone, ltrim($1, '+')) > 0 or u.id::text like lower($1) || '%'
    or strpos(lower(${NAME}), lower($1)) > 0)
  and ($2::text is null or exists (select from auth.identities i where i.user_id = u.id and i.provider = $2))
  and ${state ? STATES[state] : 'true'}`

/** Users, newest first, in keyset pages. */
export const userListQuery = ({ search, provider, state }: UserFilter) =>
  infiniteQueryOptions({
    queryKey: [...usersKey, 'list', { search, provider, state }],
    initialPageParam: null as ListedUser['place'] | null,
    queryFn: ({ pageParam, signal }) =>
      readJson<ListedUser>(
        `select json_build_object('id', u.id, 'email', nullif(u.email, ''), 'phone', nullif(u.phone, ''), 'name', ${NAME},
           'providers', coalesce((select jsonb_agg(distinct i.provider) from auth.identities i where i.user_id = u.id),
             u.raw_app_meta_data -> 'providers', '[]'),
           'createdAt', u.created_at, 'lastSignInAt', u.last_sign_in_at, 'isConfirmed', u.confirmed_at is not null,
           'isBanned', coalesce(u.banned_until > now(), false), 'isAnonymous', u.is_anonymous,
           'isDeleted', u.deleted_at is not null, 'place', json_build_array(${CREATED}::text, u.id))
         from auth.users u
         where ${conditionOf(state)} and ($3::timestamptz is null or (${CREATED}, u.id) < ($3::timestamptz, $4::uuid))
         order by ${CREATED} desc, u.id desc limit ${PAGE}`,
        [search, provider ?? null, pageParam?.[0] ?? null, pageParam?.[1] ?? null],
        { signal },
      ),
    getNextPageParam: (users) => (users.length < PAGE ? null : (users.at(-1)?.place ?? null)),
  })

/** The number of users in total and filtered, and all their providers. */
export const userCountQuery = ({ search, provider, state }: UserFilter) =>
  queryOptions({
    queryKey: [...usersKey, 'count', { search, provider, state }],
    queryFn: async ({ signal }) => {
      const [counts] = await readJson<{ all: number; found: number; providers: readonly string[] }>(
        `select json_build_object('all', count(*), 'found', count(*) filter (where ${conditionOf(state)}),
           'providers', (select coalesce(json_agg(distinct provider), '[]') from auth.identities)) from auth.users u`,
        [search, provider ?? null],
        { signal },
      )
      return counts ?? { all: 0, found: 0, providers: [] }
    },
  })

type Identity = {
  readonly identity_id: string
  readonly id: string
  readonly provider: string
  readonly identity_data: Record<string, unknown>
  readonly last_sign_in_at?: string
  readonly created_at: string
}

type Factor = {
  readonly id: string
  readonly friendly_name?: string
  readonly factor_type: string
  readonly status: 'verified' | 'unverified'
  readonly created_at: string
}

/** A user from Auth's admin API. Times are ISO 8601. */
export type User = {
  readonly id: string
  readonly role: string
  readonly email: string
  readonly phone: string
  readonly email_confirmed_at?: string
  readonly phone_confirmed_at?: string
  readonly invited_at?: string
  readonly confirmation_sent_at?: string
  readonly recovery_sent_at?: string
  readonly last_sign_in_at?: string
  readonly new_email?: string
  readonly app_metadata: Record<string, unknown> | null
  readonly user_metadata: Record<string, unknown> | null
  readonly identities: readonly Identity[] | null
  readonly factors?: readonly Factor[]
  readonly created_at: string
  readonly updated_at: string
  readonly banned_until?: string
  readonly deleted_at?: string
  readonly is_anonymous: boolean
}

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: [...usersKey, 'one', id],
    queryFn: ({ signal }) => service<User>(`/auth/v1/admin/users/${encodeURIComponent(id)}`, { signal }),
  })

/** @property methods The authentication methods used, such as `password` and `totp`. */
export type Session = {
  readonly id: string
  readonly createdAt: string
  readonly refreshedAt: string | null
  readonly notAfter: string | null
  readonly userAgent: string | null
  readonly address: string | null
  readonly aal: string | null
  readonly methods: readonly string[]
}

export const sessionsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...usersKey, 'sessions', userId],
    queryFn: ({ signal }) =>
      readJson<Session>(
        `select json_build_object('id', s.id, 'createdAt', s.created_at, 'refreshedAt', s.refreshed_at at time zone 'utc',
           'notAfter', s.not_after, 'userAgent', s.user_agent, 'address', host(s.ip), 'aal', s.aal,
           'methods', coalesce((select json_agg(a.authentication_method order by a.created_at)
             from auth.mfa_amr_claims a where a.session_id = s.id), '[]'))
         from auth.sessions s where s.user_id = $1::uuid order by s.created_at desc limit 500`,
        [userId],
        { signal },
      ),
  })

export type Passkey = { readonly id: string; readonly friendly_name?: string; readonly created_at: string }

export const passkeysQuery = (userId: string) =>
  queryOptions({
    queryKey: [...usersKey, 'passkeys', userId],
    queryFn: ({ signal }) => service<Passkey[]>(`/auth/v1/admin/users/${userId}/passkeys`, { signal }),
  })

/** A user's display name. */
export const userTitle = ({ email, phone, id }: { email: string | null; phone: string | null; id: string }): string =>
  email || (phone ? `+${phone}` : id)
