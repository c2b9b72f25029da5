/** Where each answer lies in the query cache. Everything of a library lies under `library(id)`, so that a change heard
 *  over its channel can be aimed at exactly what it touches. */
export const keys = {
  account: ['account'],
  profile: (person: string) => ['account', 'profile', person],
  factors: ['account', 'factors'],
  claims: ['account', 'claims'],
  sessions: ['account', 'sessions'],
  identities: ['account', 'identities'],
  passkeys: ['account', 'passkeys'],

  libraries: ['libraries'],
  invitations: ['invitations'],
  unread: ['unread'],

  library: (library: string) => ['library', library],
  members: (library: string) => ['library', library, 'members'],
  openInvitations: (library: string) => ['library', library, 'invitations'],
  grants: (library: string) => ['library', library, 'grants'],
  activity: (library: string) => ['library', library, 'activity'],
  insights: (library: string) => ['library', library, 'insights'],
  collections: (library: string) => ['library', library, 'collections'],
  tags: (library: string) => ['library', library, 'tags'],
  documents: (library: string) => ['library', library, 'documents'],
  trash: (library: string) => ['library', library, 'trash'],
  titles: (library: string) => ['library', library, 'titles'],
  document: (library: string, document: string) => ['library', library, 'document', document],
  search: (library: string) => ['library', library, 'search'],
  conversations: (library: string) => ['library', library, 'conversations'],
} as const
