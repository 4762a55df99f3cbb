import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { AppIcon } from '#design/brand'
import { ErrorLine } from '#design/feedback'
import { Field, FileField, Form } from '#design/forms'
import { Moment } from '#design/money'
import { Pager } from '#design/navigation'
import { EmptyState, Panel } from '#design/panels'
import { RecordRows, recordDescription } from '#design/records'
import { DefaultButton, RowButtons } from '#design/rows'
import { REMOVED_IMAGE_DAYS, type RemovedImage } from '#domain/apps'
import { addressOf } from '#http/app-menu'
import { type FormFault, faultAt } from '#http/form-errors'
import type { ListPage } from '#http/pagination'
import { type AppFacts, AppPage } from './layout.tsx'

/** A screenshot in the editor. */
interface EditedScreenshot {
  id: string
  alt: string
  src: string
  width: number
  height: number
}

type ImagesFacts = AppFacts & {
  /** The path of the icon; undefined if there is none. */
  icon: string | undefined
  screenshots: EditedScreenshot[]
  /** How many screenshots an app can have. */
  most: number
  /** The images that were removed lately, the last one first. */
  removed: ListPage<RemovedImage>
  /** The entered description of a screenshot that could not be added. */
  new_alt: string
  faults: FormFault[]
}

const ACCEPTED = 'image/png,image/jpeg,image/webp'
const FILE_HINT = 'PNG, JPEG or WebP, at most 5 MB.'

/** The editor of an app's icon and screenshots. */
export function ImagesPage(facts: ImagesFacts): JSX.Element {
  return (
    <AppPage
      {...facts}
      current="listing"
      heading="icon and screenshots"
      intro="How your app looks in the marketplace and at checkout."
      back={{ label: 'Listing', href: addressOf(facts.slug, 'listing') }}
    >
      <div class="grid max-w-3xl grid-cols-1 gap-6">
        <IconPanel {...facts} />
        <Screenshots {...facts} />
        {facts.screenshots.length < facts.most && <AddScreenshot {...facts} />}
        {facts.removed.rows.length > 0 && <Removed {...facts} />}
      </div>
    </AppPage>
  )
}

function IconPanel({ slug, app_name, icon, csrf_token, faults }: ImagesFacts): JSX.Element {
  const base = `${addressOf(slug, 'listing')}images/`
  return (
    <Panel title="Icon">
      <div class="flex flex-wrap items-center gap-4">
        <AppIcon name={app_name} icon={icon} large />
        <p class="min-w-0 flex-1 basis-40 text-sm text-muted">
          {icon
            ? 'Shown in the marketplace, at checkout, at sign-in and in your buyers’ accounts.'
            : 'Without an icon, people see the first character of the name.'}
        </p>
        {icon && (
          <Form action={`${base}remove-icon`} csrf_token={csrf_token}>
            <Button pending="One moment…">Remove icon</Button>
          </Form>
        )}
      </div>
      <Form action={`${base}icon`} csrf_token={csrf_token} uploads>
        <FileField
          label={icon ? 'New icon' : 'Icon'}
          name="file"
          id="icon-icon"
          accept={ACCEPTED}
          error={faultAt(faults, 'icon-icon')}
          hint={`Square, at least 256 × 256 pixels. ${FILE_HINT}`}
        />
        <Actions>
          <Button pending="Uploading…">Save icon</Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function Screenshots(facts: ImagesFacts): JSX.Element {
  const { screenshots, most } = facts
  return (
    <section id="screenshots" aria-labelledby="screenshots-title" class="grid grid-cols-1 gap-4">
      <h2 id="screenshots-title" class="text-lg font-semibold">
        Screenshots
      </h2>
      {screenshots.length === 0 ? (
        <EmptyState title="No screenshots yet">
          Add up to {most}. The first one is also the preview when people share your product page.
        </EmptyState>
      ) : (
        <ol class="grid grid-cols-1 gap-4">
          {screenshots.map((image, index) => (
            <li key={image.id}>
              <Screenshot facts={facts} image={image} index={index} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function Screenshot(given: {
  facts: ImagesFacts
  image: EditedScreenshot
  index: number
}): JSX.Element {
  const { facts, image, index } = given
  const { id, alt, src, width, height } = image
  const what = `screenshot ${index + 1}`
  return (
    <div class="grid grid-cols-1 gap-4 rounded-box border border-base-300 bg-base-100 p-5 sm:grid-cols-[12rem_minmax(0,1fr)]">
      <img
        class="h-auto max-h-48 w-full self-start rounded-field border border-base-300 object-contain"
        src={src}
        width={width}
        height={height}
        alt=""
        loading="lazy"
      />
      <Form
        action={`${addressOf(facts.slug, 'listing')}images/screenshot`}
        csrf_token={facts.csrf_token}
      >
        <DefaultButton name="do" value="save" />
        <input type="hidden" name="image_id" value={id} />
        <Field
          label={`Description of ${what}`}
          name="alt"
          id={`alt-${id}`}
          value={alt}
          maxlength={200}
          error={faultAt(facts.faults, `alt-${id}`)}
        />
        <div class="flex flex-wrap items-center justify-between gap-3">
          <Button name="do" value="save" pending="Saving…" describedby={`alt-${id}-label`}>
            Save
          </Button>
          <RowButtons
            name="do"
            path={id}
            what={what}
            up={index > 0}
            down={index < facts.screenshots.length - 1}
          />
        </div>
      </Form>
    </div>
  )
}

function AddScreenshot({ slug, csrf_token, faults, new_alt }: ImagesFacts): JSX.Element {
  return (
    <Panel title="Add a screenshot">
      <Form action={`${addressOf(slug, 'listing')}images/add`} csrf_token={csrf_token} uploads>
        <FileField
          label="Screenshot"
          name="file"
          id="screenshot-screenshot"
          accept={ACCEPTED}
          error={faultAt(faults, 'screenshot-screenshot')}
          hint={`At least 320 × 200 pixels; 1,600 pixels wide looks sharp everywhere. ${FILE_HINT}`}
        />
        <Field
          label="Description"
          name="alt"
          id="alt-screenshot"
          value={new_alt}
          maxlength={200}
          error={faultAt(faults, 'alt-screenshot')}
          hint="What the screenshot shows, for people who cannot see it."
        />
        <Actions>
          <Button kind="primary" pending="Uploading…">
            Add screenshot
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function Removed({ slug, csrf_token, removed, faults }: ImagesFacts): JSX.Element {
  return (
    <Panel id="removed" title="Removed images">
      <p class="text-sm text-muted">
        An image is deleted {REMOVED_IMAGE_DAYS} days after you remove or replace it, or earlier if
        you remove many. Until then you can restore it.
      </p>
      <RecordRows
        records={removed.rows.map(({ id, kind, alt, width, height, removed_at }) => {
          const title = kind === 'icon' ? 'Icon' : alt
          const fault = faultAt(faults, `screenshot-${id}`)
          return {
            key: id,
            title,
            picture: (
              <img
                class="h-16 w-24 rounded-field border border-base-300 object-contain"
                src={`${addressOf(slug, 'listing')}images/removed/${id}`}
                width={width}
                height={height}
                alt=""
                loading="lazy"
              />
            ),
            details: [
              ...(kind === 'icon' ? [] : ['Screenshot']),
              <>
                Removed <Moment at={removed_at} />
              </>,
            ],
            aside: fault && <ErrorLine id={`screenshot-${id}`}>{fault}</ErrorLine>,
            action: (
              <Form action={`${addressOf(slug, 'listing')}images/restore`} csrf_token={csrf_token}>
                <input type="hidden" name="image_id" value={id} />
                <Button pending="Restoring…" describedby={recordDescription(id)}>
                  Restore
                </Button>
              </Form>
            ),
          }
        })}
      />
      <Pager {...removed} label="Pages of removed images" />
    </Panel>
  )
}
