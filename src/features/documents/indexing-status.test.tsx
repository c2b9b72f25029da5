// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ComponentProps } from 'react'
import { expect, test, vi } from 'vitest'
import { keys } from '../../domain/keys.ts'
import { IndexingProgress } from './indexing-progress.tsx'
import { IndexingStatus } from './indexing-status.tsx'

const LIBRARY = 'one'
const document = { title: 'Report', problem: null, progress: 0, recognition: null, recognition_problem: null }
const PROGRESS = {
  total: 1600,
  done: 480,
  waiting: 26,
  running: 2,
  failed: 0,
  problem: null as { message: string } | null,
}
const OUT_OF_ORDER =
  'Documents can’t be read now: the function “ingest” can’t start. The service’s administrator finds the reason in its log.'

function show(
  status: Partial<ComponentProps<typeof IndexingStatus>['document']>,
  progress = PROGRESS,
  onRetry = () => {},
) {
  const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  queryClient.setQueryData(keys.indexing(LIBRARY), progress)
  return render(
    <QueryClientProvider client={queryClient}>
      <IndexingProgress library={LIBRARY} canEdit onShowFailed={() => {}} />
      <IndexingStatus library={LIBRARY} document={{ ...document, state: 'queued', ...status }} onRetry={onRetry} />
    </QueryClientProvider>,
  )
}

test('the status shows the indexing progress of the document and the library', () => {
  show({ state: 'embedding', progress: 40 })
  expect(screen.getByText('Indexing')).toBeTruthy()
  expect(screen.getByRole('progressbar', { name: 'Indexing: Report' }).getAttribute('aria-valuenow')).toBe('40')
  const library = screen.getByRole('progressbar', { name: '480 of 1,600 documents can be found' })
  expect(library.getAttribute('aria-valuenow')).toBe('30')
})

test('a scan without text cannot be retried', () => {
  const message = 'This PDF holds pictures of pages but no text.'
  show({ state: 'failed', problem: { code: 'pdf_without_text', message } })
  expect(screen.getByText(message)).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
})

test('the status of a scan shows the state of its text recognition', () => {
  const scan = { state: 'failed', problem: { code: 'pdf_without_text', message: 'No text.' } } as const
  show({ ...scan, recognition: 'waiting' })
  expect(screen.getByText('Waiting for text recognition')).toBeTruthy()
  show({ state: 'ready', recognition: 'reading' })
  expect(screen.getByText('Text is being recognized')).toBeTruthy()
  show({ ...scan, recognition: 'failed', recognition_problem: { message: 'Three browsers broke off.' } })
  expect(screen.getByText('Three browsers broke off.')).toBeTruthy()
  expect(screen.queryByText('No text.')).toBeNull()
})

test('the status shows why indexing failed, and can retry', async () => {
  const retry = vi.fn()
  show({ state: 'failed', problem: { message: 'Locked.' } }, PROGRESS, retry)
  expect(screen.getByText('Locked.')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Read it again' }))
  expect(retry).toHaveBeenCalledOnce()
})

test('while indexing is down, the status says why and shows no progress', () => {
  show({ state: 'queued' }, { ...PROGRESS, problem: { message: OUT_OF_ORDER } })
  expect(screen.getAllByText(OUT_OF_ORDER, { exact: false })).toHaveLength(2)
  expect(screen.getByText(/continues automatically/)).toBeTruthy()
  expect(screen.queryByRole('progressbar')).toBeNull()
})

test('the status is empty once all documents can be found', () => {
  const { container } = show({ state: 'ready' }, { ...PROGRESS, done: 40, waiting: 0, running: 0 })
  expect(container.innerHTML).toBe('')
})

test('failed documents are summarized until dismissed, and again after new failures', async () => {
  const failed = (count: number) => ({ ...PROGRESS, done: 40 - count, waiting: 0, running: 0, failed: count })
  const first = show({ state: 'ready' }, failed(2))
  expect(screen.getByText('2 documents could not be read')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
  first.unmount()
  const second = show({ state: 'ready' }, failed(2))
  expect(screen.queryByText('2 documents could not be read')).toBeNull()
  second.unmount()
  show({ state: 'ready' }, failed(3))
  expect(screen.getByText('3 documents could not be read')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Retry all' })).toBeTruthy()
})
