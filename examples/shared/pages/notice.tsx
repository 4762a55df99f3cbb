import type { ComponentChildren } from 'preact'
import { Layout } from './layout.tsx'

type Frame = { title: string; signed_in?: boolean; children: ComponentChildren }

/** One thing to say, and the ways on from it. */
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
