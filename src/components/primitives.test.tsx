// @vitest-environment jsdom
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Folder, List } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { Avatar, initialsOf } from './avatar.tsx'
import { Badge } from './badge.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { EmptyState } from './empty-state.tsx'
import { Field, TextField } from './field.tsx'
import { Form } from './form.tsx'
import { Input } from './input.tsx'
import { Menu, MenuChoice, MenuItem } from './menu.tsx'
import { Notice } from './notice.tsx'
import { PageSkeleton } from './page-skeleton.tsx'
import { PasswordField } from './password-field.tsx'
import { Progress } from './progress.tsx'
import { Segmented } from './segmented.tsx'
import { Skeleton } from './skeleton.tsx'
import { Tooltip, TooltipLayer } from './tooltip.tsx'

vi.hoisted(() => {
  // Layout APIs that Radix needs and jsdom lacks.
  globalThis.ResizeObserver = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  Element.prototype.scrollIntoView = () => {}
  Element.prototype.hasPointerCapture = () => false
})

test('a disabled button keeps focus and does not submit', async () => {
  const submit = vi.fn((event: { preventDefault: () => void }) => event.preventDefault())
  const form = (disabled: boolean) => (
    <form onSubmit={submit}>
      <input aria-label="Word" />
      <Button type="submit" disabled={disabled}>
        Add
      </Button>
    </form>
  )
  const { rerender } = render(form(false))
  const button = screen.getByRole('button', { name: 'Add' })
  await userEvent.click(button)
  rerender(form(true))
  expect(document.activeElement).toBe(button)
  await userEvent.click(button)
  await userEvent.type(screen.getByLabelText('Word'), '{Enter}')
  expect(submit).toHaveBeenCalledOnce()
  expect(button.getAttribute('aria-disabled')).toBe('true')
})

test('a busy button keeps focus and ignores clicks', async () => {
  const act = vi.fn()
  const { rerender } = render(<Button onClick={act}>Save</Button>)
  const button = screen.getByRole('button', { name: 'Save' })
  await userEvent.click(button)
  rerender(
    <Button busy onClick={act}>
      Save
    </Button>,
  )
  await userEvent.click(button)
  expect({ calls: act.mock.calls.length, focused: document.activeElement === button }).toEqual({
    calls: 1,
    focused: true,
  })
  expect(button.getAttribute('aria-busy')).toBe('true')
})

test('a busy button does not submit its form', async () => {
  const send = vi.fn((event: { preventDefault(): void }) => event.preventDefault())
  render(
    <form onSubmit={send}>
      <Button type="submit" busy>
        Save
      </Button>
    </form>,
  )
  await userEvent.click(screen.getByRole('button'))
  expect(send).not.toHaveBeenCalled()
})

test('a link can look like a button', () => {
  render(
    <Button asChild>
      <a href="/there">Go</a>
    </Button>,
  )
  expect(screen.getByRole('link', { name: 'Go' }).className).toContain('inline-flex')
})

test('a field associates label, hint and error with its control', () => {
  render(
    <Field label="Email" hint="We write to it." error="That is no address.">
      {(control) => <Input {...control} />}
    </Field>,
  )
  const input = screen.getByLabelText('Email')
  const described = (input.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id))
  expect(described.map((element) => element?.textContent)).toEqual(['We write to it.', 'That is no address.'])
  expect(input.getAttribute('aria-invalid')).toBe('true')
  expect(screen.getByRole('alert').textContent).toBe('That is no address.')
})

test('a password can be shown', async () => {
  render(<PasswordField label="Password" value="secret" onValue={() => {}} />)
  const input = screen.getByLabelText('Password')
  await userEvent.click(screen.getByRole('button', { name: 'Show password' }))
  expect(input.getAttribute('type')).toBe('text')
  await userEvent.click(screen.getByRole('button', { name: 'Hide password' }))
  expect(input.getAttribute('type')).toBe('password')
})

function DialogWithButton() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Open</Button>
      <Dialog open={open} onOpenChange={setOpen} title="A new library" description="Seen by its members.">
        <Input aria-label="Name" />
      </Dialog>
    </>
  )
}

test('a dialog has a name and a description, closes on Escape and restores focus', async () => {
  render(<DialogWithButton />)
  const opener = screen.getByRole('button', { name: 'Open' })
  await userEvent.click(opener)
  const dialog = await screen.findByRole('dialog', { name: 'A new library', description: 'Seen by its members.' })
  expect(dialog.contains(document.activeElement)).toBe(true)
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  await waitFor(() => expect(document.activeElement).toBe(opener))
})

test('a menu is operated by keyboard, including keys pressed before it has loaded', async () => {
  const act = vi.fn()
  render(
    <Menu trigger={<Button>Actions</Button>}>
      <MenuItem onSelect={() => act('open')}>Open</MenuItem>
      <MenuItem onSelect={() => act('rename')}>Rename</MenuItem>
      <MenuItem onSelect={() => act('delete')} danger>
        Delete
      </MenuItem>
    </Menu>,
  )
  const actions = screen.getByRole('button', { name: 'Actions' })
  actions.focus()
  fireEvent.keyDown(actions, { key: 'Enter' })
  fireEvent.keyDown(actions, { key: 'ArrowDown' })
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('menuitem', { name: 'Rename' })))
  await userEvent.keyboard('{ArrowDown}{Enter}')
  expect(act.mock.calls).toEqual([['delete']])
  expect(document.activeElement).toBe(actions)
  await userEvent.keyboard('{Enter}')
  expect(document.activeElement).toBe(screen.getByRole('menuitem', { name: 'Open' }))
})

function MenuWithDialog() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Menu trigger={<Button>Actions</Button>}>
        <MenuItem onSelect={() => setOpen(true)}>Rename</MenuItem>
      </Menu>
      {isOpen ? (
        <Dialog open onOpenChange={setOpen} title="A new name">
          <Input />
        </Dialog>
      ) : null}
    </>
  )
}

test('a dialog that a menu opened gives the focus back to the trigger of the menu', async () => {
  render(<MenuWithDialog />)
  const actions = screen.getByRole('button', { name: 'Actions' })
  actions.focus()
  // The first dialog may wait for its code while the menu closes.
  for (let time = 0; time < 2; time++) {
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('menuitem', { name: 'Rename' })))
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox')))
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(document.activeElement).toBe(actions))
  }
})

test('a menu entry can be a link, or have an icon', async () => {
  render(
    <Menu trigger={<Button>Actions</Button>}>
      <MenuItem asChild>
        <a href="/sea">Open</a>
      </MenuItem>
      <MenuItem icon={Folder}>Move</MenuItem>
    </Menu>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Actions' }))
  const link = await screen.findByRole('menuitem', { name: 'Open' })
  expect(link.getAttribute('href')).toBe('/sea')
  expect(screen.getByRole('menuitem', { name: 'Move' }).querySelector('svg')?.getAttribute('aria-hidden')).toBe('true')
})

test('a text field has its label, hint, error and value', async () => {
  const change = vi.fn()
  render(<TextField label="Name" hint="Shown to all" error="Too short" value="A" onValue={change} />)
  const field = screen.getByRole('textbox', { name: 'Name' })
  expect(field).toHaveProperty('value', 'A')
  expect(describedBy(field)).toEqual(['Shown to all', 'Too short'])
  await userEvent.type(field, 'b')
  expect(change).toHaveBeenCalledExactlyOnceWith('Ab')
})

test('a form is sent by its script only, and shows why that failed', async () => {
  const send = vi.fn()
  render(
    <Form onSubmit={send} error={new Error('Too late')}>
      <Button type="submit">Send</Button>
    </Form>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Send' }))
  expect(send).toHaveBeenCalledOnce()
  expect(screen.getByRole('alert').textContent).toContain('Too late')
})

test('a menu marks the current choice', async () => {
  const choose = vi.fn()
  render(
    <Menu trigger={<Button>Order</Button>}>
      <MenuChoice
        value="title"
        onChange={choose}
        options={[
          { value: 'newest', label: 'Newest' },
          { value: 'title', label: 'Title' },
        ]}
      />
    </Menu>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Order' }))
  expect(screen.getByRole('menuitemradio', { name: 'Title' }).getAttribute('aria-checked')).toBe('true')
  await userEvent.click(screen.getByRole('menuitemradio', { name: 'Newest' }))
  expect(choose.mock.calls).toEqual([['newest']])
})

test('a segmented control always has exactly one selected value', async () => {
  const choose = vi.fn()
  render(
    <Segmented
      label="View"
      value="grid"
      onChange={choose}
      options={[
        { value: 'grid', label: 'Grid', icon: Folder },
        { value: 'list', label: 'List', icon: List, iconOnly: true },
      ]}
    />,
  )
  const group = screen.getByRole('radiogroup', { name: 'View' })
  await userEvent.click(within(group).getByRole('radio', { name: 'Grid' }))
  await userEvent.click(within(group).getByRole('radio', { name: 'List' }))
  expect(choose.mock.calls).toEqual([['list']])
})

test('a tooltip appears on focus', async () => {
  render(
    <Tooltip text="Fold" shortcut="F">
      <button type="button">x</button>
    </Tooltip>,
    { wrapper: WithTooltips },
  )
  await userEvent.tab()
  expect((await screen.findByRole('tooltip')).textContent).toBe('FoldF')
  expect(screen.getByRole('button', { description: 'FoldF' })).toBe(document.activeElement)
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('tooltip')).toBeNull()
})

test('a tooltip appears on hover', async () => {
  render(
    <>
      <Tooltip text="Fold">
        <button type="button">x</button>
      </Tooltip>
      <p>Elsewhere</p>
    </>,
    { wrapper: WithTooltips },
  )
  await userEvent.hover(screen.getByRole('button'))
  expect(screen.queryByRole('tooltip')).toBeNull()
  await userEvent.hover(await screen.findByRole('tooltip'))
  expect(screen.getByRole('tooltip').textContent).toBe('Fold')
  await userEvent.hover(screen.getByText('Elsewhere'))
  expect(screen.queryByRole('tooltip')).toBeNull()
})

function WithTooltips({ children }: { children: ReactNode }) {
  return (
    <>
      {children}
      <TooltipLayer />
    </>
  )
}

test.each([
  [0.42, '42'],
  [-1, '0'],
  [7, '100'],
  [null, null],
])('progress of %s is %s percent', (value, percent) => {
  render(<Progress value={value} label="Upload" />)
  expect(screen.getByRole('progressbar', { name: 'Upload' }).getAttribute('aria-valuenow')).toBe(percent)
})

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada', 'AD'],
  ['Ada King Lovelace', 'AL'],
  ['ada.lovelace@example.org', 'AO'],
  ['📚 Books', '📚B'],
  ['  ', '?'],
])('the initials of %j are %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})

test('an avatar is an image with a name, unless the name is shown next to it', () => {
  const { rerender } = render(<Avatar name="Ada Lovelace" />)
  expect(screen.getByRole('img', { name: 'Ada Lovelace' }).dataset.initials).toBe('AL')
  rerender(<Avatar name="Ada Lovelace" decorative />)
  expect(screen.queryByRole('img')).toBeNull()
})

test('errors are assertive live regions, other notices are polite', () => {
  render(
    <>
      <Notice tone="error">No</Notice>
      <Notice tone="success">Yes</Notice>
    </>,
  )
  expect([screen.getByRole('alert').textContent, screen.getByRole('status').textContent]).toEqual(['No', 'Yes'])
})

test('an empty state has a heading and an action', () => {
  render(
    <EmptyState icon={Folder} title="An empty shelf" action={<Button>Choose files</Button>}>
      Drop files here.
    </EmptyState>,
  )
  expect(screen.getByRole('heading', { name: 'An empty shelf' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Choose files' })).toBeTruthy()
})

test('a skeleton is hidden from screen readers, a badge exposes its text', () => {
  const { container } = render(
    <>
      <Skeleton />
      <Badge tone="danger">failed</Badge>
    </>,
  )
  expect(container.querySelector('[aria-hidden]')).toBeTruthy()
  expect(screen.getByText('failed')).toBeTruthy()
})

test('a slow page says that the library is slow', () => {
  vi.useFakeTimers()
  render(<PageSkeleton />)
  expect(screen.queryByText(/slow to answer/)).toBeNull()
  act(() => void vi.advanceTimersByTime(8_000))
  expect(screen.getByRole('status').textContent).toMatch(/slow to answer/)
  vi.useRealTimers()
})

const describedBy = (element: HTMLElement): (string | null | undefined)[] =>
  (element.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent)
