import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { IndexingStatus, isStalled } from './indexing-status.tsx'

const document = { title: 'Report', state_message: null, progress: 0, created_at: new Date().toISOString() }

test('the status shows the progress of indexing', () => {
  render(<IndexingStatus document={{ ...document, state: 'embedding', progress: 40 }} onRetry={() => {}} />)
  expect(screen.getByText('Indexing')).toBeTruthy()
  expect(screen.getByRole('progressbar', { name: 'Indexing: Report' }).getAttribute('aria-valuenow')).toBe('40')
})

test('the status shows why indexing failed, and repeats it on request', async () => {
  const retry = vi.fn()
  render(<IndexingStatus document={{ ...document, state: 'failed', state_message: 'Locked.' }} onRetry={retry} />)
  expect(screen.getByText('Locked.')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Read it again' }))
  expect(retry).toHaveBeenCalledOnce()
})

test('the status is empty once the document can be found', () => {
  const { container } = render(<IndexingStatus document={{ ...document, state: 'ready' }} onRetry={() => {}} />)
  expect(container.innerHTML).toBe('')
})

const NOON = Date.parse('2026-03-01T12:00:00Z')
test.each([
  ['queued', '2026-03-01T11:59:00Z', true],
  ['queued', '2026-03-01T11:59:50Z', false],
  ['extracting', '2026-03-01T11:00:00Z', false],
] as const)('%s since %s is stalled: %s', (state, created_at, forgotten) => {
  expect(isStalled({ state, created_at }, NOON)).toBe(forgotten)
})
