import { expect, test } from 'vitest'
import { parseRoleClaimPath, roleFromClaims } from './role-claim.ts'

const CLAIMS = {
  role: 'reader',
  'https://example.com/roles': ['viewer', 'project-editor'],
  app: { roles: [{ name: 'owner' }], empty: '', number: 5 },
}

test.each<[string, string | null]>([
  ['$.role', 'reader'],
  ['$["https://example.com/roles"][1]', 'project-editor'],
  ['$.app.roles[0].name', 'owner'],
  ['$["https://example.com/roles"][?search(@, "^project-")]', 'project-editor'],
  ['$.app.number', '5'],
  ['$.app.roles', '[{"name":"owner"}]'],
  ['$.missing', null],
  ['$.constructor', null],
  ['$.app.missing.deeper', null],
  ['.role', 'reader'],
  ['."https://example.com/roles"[1]', 'project-editor'],
  ['.app.roles[0].name', 'owner'],
  ['."https://example.com/roles"[?(@ == "viewer")]', 'viewer'],
  ['."https://example.com/roles"[?(@ != "viewer")]', 'project-editor'],
  ['."https://example.com/roles"[?(@ ^== "project")]', 'project-editor'],
  ['."https://example.com/roles"[?(@ ==^ "er")]', 'viewer'],
  ['."https://example.com/roles"[?(@ *== "ct-ed")]', 'project-editor'],
  ['."https://example.com/roles"[?(@ == "nobody")]', null],
  ['.app.empty', null],
  ['.app.number', '5'],
  ['.app.missing.deeper', null],
  ['.constructor.name', null],
  ['[0]', null],
])('%s', (text, role) => {
  const path = parseRoleClaimPath(text)
  expect(path && roleFromClaims(CLAIMS, path)).toBe(role)
})

test.each(['', '$.', '$.a[', '$.write-role', 'role', '.', '.role.', '.a b', '.role[x]', '.a[?(@ == "x")].b'])(
  '%j is not a path',
  (text) => {
    expect(parseRoleClaimPath(text)).toBeNull()
  },
)
