/** Query keys. A library's are under `library(id)`, so that its channel's messages invalidate only affected ones. */
export const keys = {
  account: ['account'],
  profile: (person: string) => ['account', 'profile', person],
  mails: ['account', 'mails'],
  factors: ['account', 'factors'],
  claims: ['account', 'claims'],
  sessions: ['account', 'sessions'],
  identities: ['account', 'identities'],
  passkeys: ['account', 'passkeys'],

  libraries: ['libraries'],
  invitations: ['invitations'],
  unread: ['unread'],
  notifications: ['notifications'],
  favorites: ['favorites'],
  recent: ['recent'],
  searchEverywhere: ['search'],
  sharedIn: ['shared-in'],

  library: (library: string) => ['library', library],
  channels: (library: string) => ['library', library, 'channels'],
  members: (library: string) => ['library', library, 'members'],
  openInvitations: (library: string) => ['library', library, 'invitations'],
  grants: (library: string) => ['library', library, 'grants'],
  apiKeys: (library: string) => ['library', library, 'api-keys'],
  groups: (library: string) => ['library', library, 'groups'],
  retention: (library: string) => ['library', library, 'retention'],
  activity: (library: string) => ['library', library, 'activity'],
  signInDomains: (library: string) => ['library', library, 'sign-in-domains'],
  webhooks: (library: string) => ['library', library, 'webhooks'],
  audit: (library: string) => ['library', library, 'audit'],
  insights: (library: string) => ['library', library, 'insights'],
  collections: (library: string) => ['library', library, 'collections'],
  tags: (library: string) => ['library', library, 'tags'],
  fields: (library: string) => ['library', library, 'fields'],
  rules: (library: string) => ['library', library, 'rules'],
  documents: (library: string) => ['library', library, 'documents'],
  indexing: (library: string) => ['library', library, 'indexing'],
  trash: (library: string) => ['library', library, 'trash'],
  titles: (library: string) => ['library', library, 'titles'],
  facets: (library: string) => ['library', library, 'titles', 'facets'],
  openDocuments: (library: string) => ['library', library, 'document'],
  document: (library: string, document: string) => ['library', library, 'document', document],
  highlights: (library: string) => ['library', library, 'highlights'],
  cover: (library: string, path: string) => ['library', library, 'cover', path],
  positions: (library: string) => ['library', library, 'positions'],
  picture: (library: string, note: string, name: string) => ['library', library, 'picture', note, name],
  draft: (library: string, note: string) => ['library', library, 'draft', note],
  templates: (library: string) => ['library', library, 'templates'],
  mailIn: (library: string) => ['library', library, 'mail-in'],
  fileRequests: (library: string) => ['library', library, 'file-requests'],
  search: (library: string) => ['library', library, 'search'],
  conversations: (library: string) => ['library', library, 'conversations'],
} as const

/** Keys that aren't persisted: files are large, and tokens, sessions and search results expire quickly. */
const EPHEMERAL = new Set(['file', 'shared', 'shared-in', 'sign-in-methods'])
const EPHEMERAL_PARTS = new Set([
  'channels',
  'search',
  'found',
  'audience',
  'links',
  'invitations',
  'seen',
  'mail-in',
  'file-requests',
  'deliveries',
  'audit',
  'api-keys',
  'sign-in-domains',
])

export const isPersisted = (key: readonly unknown[]): boolean =>
  !EPHEMERAL.has(String(key[0])) &&
  (key[0] !== 'account' || key[1] === 'profile') &&
  !key.some((part) => EPHEMERAL_PARTS.has(String(part)))
