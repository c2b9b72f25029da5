import { expect, test } from 'vitest'
import { parseRoleClaimPath, roleFromClaims } from './role-claim.ts'

const CLAIMS = {
  role: 'reader',
  'https://example.com/roles': ['viewer', 'project-editor'],
  app: { roles: [{ name: 'owner' }], empty: '', number: 5 },
}

test.each<[string, string | null]>([
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
  ['.app.number', null],
  ['.app.missing.deeper', null],
  ['.constructor.name', null],
  ['[0]', null],
])('%s', (text, role) => {
  const path = parseRoleClaimPath(text)
  expect(path && roleFromClaims(CLAIMS, path)).toBe(role)
})

test.each(['', 'role', '.', '.role.', '.a b', '.role[x]', '.a[?(@ == "x")].b'])('%j is not a path', (text) => {
  expect(parseRoleClaimPath(text)).toBeNull()
})
