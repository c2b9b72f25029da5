// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { Factors } from './factors.tsx'

const FACTOR = { id: '1', friendly_name: 'Phone', status: 'verified', created_at: '2026-05-01T10:00:00Z' }
const state = vi.hoisted(() => ({ factors: [] as object[] }))
// Browser tests cover the service; this covers the texts.
vi.mock('./queries.ts', () => ({ factorsQuery: { queryKey: ['factors'], queryFn: async () => state.factors } }))
vi.mock('./mutations.ts', () => ({
  enrolTotp: { mutationFn: async () => ({ id: '1', picture: 'data:image/svg+xml,', secret: 'JBSWY3DPEHPK3PXP' }) },
  confirmTotp: { mutationFn: async () => null },
  removeFactor: { mutationFn: async () => null },
}))

const show = () =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Factors />
    </QueryClientProvider>,
  )

test('adding an authenticator shows its QR code and key, and how to use the key', async () => {
  show()
  await userEvent.click(await screen.findByRole('button', { name: 'Add an authenticator' }))
  expect(await screen.findByRole('img', { name: 'QR code for your authenticator' })).toBeTruthy()
  expect(screen.getByText('JBSWY3DPEHPK3PXP')).toBeTruthy()
  expect(screen.getByText(/Write the key down .* only this once/)).toBeTruthy()
})

test.each([
  ['one', [FACTOR], true],
  ['two', [FACTOR, { ...FACTOR, id: '2' }], false],
])('with %s, the lockout warning is shown: %o', async (_name, factors, told) => {
  state.factors = factors
  show()
  expect(await screen.findAllByText('Phone')).toHaveLength(factors.length)
  expect(screen.queryByText('Keep a backup') !== null).toBe(told)
})
