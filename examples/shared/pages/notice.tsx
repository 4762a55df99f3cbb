import type { ComponentChildren } from 'preact'
import { Layout } from './layout.tsx'

type Frame = { title: string; signed_in?: boolean; children: ComponentChildren }

/** A page with one message and links to continue. */
export function NoticePage({ title, signed_in = false, children }: Frame) {
  return (
    <Layout title={title} signed_in={signed_in}>
      <div class="narrow">
        <h1>{title}</h1>
        {children}
      </div>
    </Layout>
  )
}
