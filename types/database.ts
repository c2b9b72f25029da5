export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  public: {
    Tables: {
      libraries: {
        Row: { id: string; name: string; description: string; require_second_factor: boolean; created_by: string | null; created_at: string; updated_at: string }
        Insert: { id?: string; name: string; description?: string; require_second_factor?: boolean; created_by?: string | null; created_at?: string; updated_at?: string }
        Update: { id?: string; name?: string; description?: string; require_second_factor?: boolean; created_by?: string | null; created_at?: string; updated_at?: string }
        Relationships: []
      }
      members: {
        Row: { library_id: string; user_id: string; role: Database['public']['Enums']['member_role']; joined_at: string }
        Insert: { library_id: string; user_id: string; role: Database['public']['Enums']['member_role']; joined_at?: string }
        Update: { library_id?: string; user_id?: string; role?: Database['public']['Enums']['member_role']; joined_at?: string }
        Relationships: [
          { foreignKeyName: 'members_library_id_fkey'; columns: ['library_id']; isOneToOne: false; referencedRelation: 'libraries'; referencedColumns: ['id'] },
          { foreignKeyName: 'members_user_id_fkey'; columns: ['user_id']; isOneToOne: false; referencedRelation: 'profiles'; referencedColumns: ['id'] },
        ]
      }
      documents: {
        Row: { id: string; library_id: string; collection_id: string | null; kind: Database['public']['Enums']['document_kind']; title: string; summary: string; url: string | null; current_version_id: string | null; mime_type: string | null; size_bytes: number | null; content_hash: string | null; page_count: number | null; state: Database['public']['Enums']['ingestion_state']; state_message: string | null; progress: number; created_by: string | null; created_at: string; updated_at: string; deleted_at: string | null }
        Insert: { id?: string; library_id: string; collection_id?: string | null; kind: Database['public']['Enums']['document_kind']; title: string; summary?: string; url?: string | null; current_version_id?: string | null; mime_type?: string | null; size_bytes?: number | null; content_hash?: string | null; page_count?: number | null; state?: Database['public']['Enums']['ingestion_state']; state_message?: string | null; progress?: number; created_by?: string | null; created_at?: string; updated_at?: string; deleted_at?: string | null }
        Update: { id?: string; library_id?: string; collection_id?: string | null; kind?: Database['public']['Enums']['document_kind']; title?: string; summary?: string; url?: string | null; current_version_id?: string | null; mime_type?: string | null; size_bytes?: number | null; content_hash?: string | null; page_count?: number | null; state?: Database['public']['Enums']['ingestion_state']; state_message?: string | null; progress?: number; created_by?: string | null; created_at?: string; updated_at?: string; deleted_at?: string | null }
        Relationships: [
          { foreignKeyName: 'documents_library_id_fkey'; columns: ['library_id']; isOneToOne: false; referencedRelation: 'libraries'; referencedColumns: ['id'] },
          { foreignKeyName: 'documents_created_by_fkey'; columns: ['created_by']; isOneToOne: false; referencedRelation: 'profiles'; referencedColumns: ['id'] },
          { foreignKeyName: 'documents_current_version_id_fkey'; columns: ['current_version_id']; isOneToOne: false; referencedRelation: 'versions'; referencedColumns: ['id'] },
          { foreignKeyName: 'documents_collection_id_library_id_fkey'; columns: ['collection_id', 'library_id']; isOneToOne: false; referencedRelation: 'collections'; referencedColumns: ['id', 'library_id'] },
        ]
      }
      versions: {
        Row: { id: string; library_id: string; document_id: string; number: number; storage_path: string | null; body: string | null; file_name: string | null; mime_type: string; size_bytes: number; content_hash: string | null; page_count: number | null; created_by: string | null; created_at: string }
        Insert: { id?: string; library_id: string; document_id: string; number: number; storage_path?: string | null; body?: string | null; file_name?: string | null; mime_type: string; size_bytes: number; content_hash?: string | null; page_count?: number | null; created_by?: string | null; created_at?: string }
        Update: { id?: string; library_id?: string; document_id?: string; number?: number; storage_path?: string | null; body?: string | null; file_name?: string | null; mime_type?: string; size_bytes?: number; content_hash?: string | null; page_count?: number | null; created_by?: string | null; created_at?: string }
        Relationships: [
          { foreignKeyName: 'versions_document_id_library_id_fkey'; columns: ['document_id', 'library_id']; isOneToOne: false; referencedRelation: 'documents'; referencedColumns: ['id', 'library_id'] },
          { foreignKeyName: 'versions_created_by_fkey'; columns: ['created_by']; isOneToOne: false; referencedRelation: 'profiles'; referencedColumns: ['id'] },
        ]
      }
      passages: {
        Row: { id: string; library_id: string; document_id: string; version_id: string; ordinal: number; page: number | null; heading: string | null; start_offset: number; end_offset: number; content: string; content_hash: string; embedding: string; embedding_model: string; created_at: string }
        Insert: { id: string; library_id: string; document_id: string; version_id: string; ordinal: number; page?: number | null; heading?: string | null; start_offset: number; end_offset: number; content: string; content_hash: string; embedding: string; embedding_model: string; created_at?: string }
        Update: { id?: string; library_id?: string; document_id?: string; version_id?: string; ordinal?: number; page?: number | null; heading?: string | null; start_offset?: number; end_offset?: number; content?: string; content_hash?: string; embedding?: string; embedding_model?: string; created_at?: string }
        Relationships: [
          { foreignKeyName: 'passages_document_id_library_id_fkey'; columns: ['document_id', 'library_id']; isOneToOne: false; referencedRelation: 'documents'; referencedColumns: ['id', 'library_id'] },
        ]
      }
      comments: {
        Row: { id: string; library_id: string; document_id: string; parent_id: string | null; passage_id: string | null; quote: string | null; page: number | null; start_offset: number | null; end_offset: number | null; body: string; resolved_at: string | null; resolved_by: string | null; edited_at: string | null; created_by: string | null; created_at: string }
        Insert: { id?: string; library_id: string; document_id: string; parent_id?: string | null; passage_id?: string | null; quote?: string | null; page?: number | null; start_offset?: number | null; end_offset?: number | null; body: string; resolved_at?: string | null; resolved_by?: string | null; edited_at?: string | null; created_by?: string | null; created_at?: string }
        Update: { id?: string; library_id?: string; document_id?: string; parent_id?: string | null; passage_id?: string | null; quote?: string | null; page?: number | null; start_offset?: number | null; end_offset?: number | null; body?: string; resolved_at?: string | null; resolved_by?: string | null; edited_at?: string | null; created_by?: string | null; created_at?: string }
        Relationships: [
          { foreignKeyName: 'comments_created_by_fkey'; columns: ['created_by']; isOneToOne: false; referencedRelation: 'profiles'; referencedColumns: ['id'] },
          { foreignKeyName: 'comments_resolved_by_fkey'; columns: ['resolved_by']; isOneToOne: false; referencedRelation: 'profiles'; referencedColumns: ['id'] },
          { foreignKeyName: 'comments_document_id_library_id_fkey'; columns: ['document_id', 'library_id']; isOneToOne: false; referencedRelation: 'documents'; referencedColumns: ['id', 'library_id'] },
          { foreignKeyName: 'comments_passage_id_fkey'; columns: ['passage_id']; isOneToOne: false; referencedRelation: 'passages'; referencedColumns: ['id'] },
        ]
      }
      tags: {
        Row: { id: string; library_id: string; name: string; color: string; created_at: string }
        Insert: { id?: string; library_id: string; name: string; color?: string; created_at?: string }
        Update: { id?: string; library_id?: string; name?: string; color?: string; created_at?: string }
        Relationships: [
          { foreignKeyName: 'tags_library_id_fkey'; columns: ['library_id']; isOneToOne: false; referencedRelation: 'libraries'; referencedColumns: ['id'] },
        ]
      }
      document_tags: {
        Row: { library_id: string; document_id: string; tag_id: string }
        Insert: { library_id: string; document_id: string; tag_id: string }
        Update: { library_id?: string; document_id?: string; tag_id?: string }
        Relationships: [
          { foreignKeyName: 'document_tags_document_id_library_id_fkey'; columns: ['document_id', 'library_id']; isOneToOne: false; referencedRelation: 'documents'; referencedColumns: ['id', 'library_id'] },
          { foreignKeyName: 'document_tags_tag_id_library_id_fkey'; columns: ['tag_id', 'library_id']; isOneToOne: false; referencedRelation: 'tags'; referencedColumns: ['id', 'library_id'] },
        ]
      }
      profiles: {
        Row: { id: string; display_name: string; avatar_path: string | null; created_at: string; updated_at: string }
        Insert: { id: string; display_name: string; avatar_path?: string | null; created_at?: string; updated_at?: string }
        Update: { id?: string; display_name?: string; avatar_path?: string | null; created_at?: string; updated_at?: string }
        Relationships: []
      }
      collections: {
        Row: { id: string; library_id: string; parent_id: string | null; name: string; position: number; created_by: string | null; created_at: string; updated_at: string }
        Insert: { id?: string; library_id: string; parent_id?: string | null; name: string; position?: number; created_by?: string | null; created_at?: string; updated_at?: string }
        Update: { id?: string; library_id?: string; parent_id?: string | null; name?: string; position?: number; created_by?: string | null; created_at?: string; updated_at?: string }
        Relationships: []
      }
    }
    Views: { [_ in never]: never }
    Functions: {
      create_library: { Args: { name: string; description?: string }; Returns: Database['public']['Tables']['libraries']['Row'] }
      add_file: { Args: { library: string; document: string; path: string; file_name: string; title?: string; collection?: string; content_hash?: string }; Returns: Database['public']['Tables']['documents']['Row'] }
      add_note: { Args: { library: string; title: string; body?: string; collection?: string }; Returns: Database['public']['Tables']['documents']['Row'] }
      related_documents: { Args: { document: string; max_results?: number }; Returns: { document_id: string; title: string; kind: Database['public']['Enums']['document_kind']; similarity: number }[] }
      search_passages: { Args: { library: string; query: string; query_embedding?: string; model?: string; filters?: Json; max_results?: number }; Returns: { passage_id: string; document_id: string; version_id: string; title: string; kind: Database['public']['Enums']['document_kind']; mime_type: string; page: number; heading: string; content: string; start_offset: number; end_offset: number; highlights: Json; score: number; text_rank: number; vector_rank: number; similarity: number }[] }
      save_note: { Args: { document: string; body: string; based_on: string }; Returns: Database['public']['Tables']['versions']['Row'] }
      my_invitations: { Args: never; Returns: { id: string; library_name: string; role: Database['public']['Enums']['member_role']; invited_by: string; expires_at: string }[] }
      accept_invitation: { Args: { invitation: string }; Returns: string }
      library_insights: { Args: { library: string }; Returns: Json }
      invite_member: { Args: { library: string; email: string; role?: Database['public']['Enums']['member_role'] }; Returns: { id: string; token: string; expires_at: string }[] }
      hidden_libraries: { Args: never; Returns: number }
    }
    Enums: { member_role: 'reader' | 'editor' | 'owner'; document_kind: 'file' | 'note' | 'link'; ingestion_state: 'queued' | 'extracting' | 'embedding' | 'ready' | 'failed' }
    CompositeTypes: { [_ in never]: never }
  }
}

type DefaultSchema = Database['public']
export type Tables<Name extends keyof DefaultSchema['Tables']> = DefaultSchema['Tables'][Name]['Row']
export type Enums<Name extends keyof DefaultSchema['Enums']> = DefaultSchema['Enums'][Name]
