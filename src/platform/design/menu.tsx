import { createContext } from 'preact'

/** A link of a menu or a footer. */
export type Link = { label: string; href: string; current?: boolean }

/** The menu of a signed-in person. */
export type AccountMenu = {
  email: string
  links: Link[]
  csrf_token: string
  /** For members of a seller, where live mode has a test mode beside it. */
  mode?: ModeSwitch | undefined
}

/** How a member changes between live mode and test mode: by a form, and back by a link. */
export type ModeSwitch =
  | { to: 'test'; action: string; return_to: string }
  | { to: 'live'; href: string }

/** The seller whose pages staff are viewing, the end of the view, and the form that stops it. */
export type Viewing = { legal_name: string; until: Date; stop: string; csrf_token: string }

/** The seller that staff are viewing the page as. */
export const ViewedAs = createContext<Viewing | undefined>(undefined)

/** The signed-in person for whom a page is rendered. */
export const Account = createContext<AccountMenu | undefined>(undefined)

/** Whether that person may only read the forms of a page. */
export const ReadOnly = createContext(false)
