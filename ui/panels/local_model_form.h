#pragma once

#include "core/source/run_spec.h"
#include "ui/window/local_models.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QListWidget;
class QSpinBox;

namespace decodescope {

class ActionButton;
class RoleLabel;

/// Which model file a lane runs and how: the local half of the lane editor. Files are looked for in the folders of
/// other programs and in those added here; one is read by the engine, in a process of its own, when it is chosen.
class LocalModelForm : public QWidget {
    Q_OBJECT

public:
    LocalModelForm(const LocalModelServices& services, QWidget* parent = nullptr);

    void fill(const LocalModelSpec& local);
    [[nodiscard]] LocalModelSpec spec() const;
    /// Looks for model files, the first time it is called.
    void search();

private:
    void build();
    void browse();
    void list(const ModelSearch& search);
    void inspect();
    void filter(const QString& text);

    const LocalModelServices& m_services;
    QLineEdit* m_path;
    QLineEdit* m_filter;
    QListWidget* m_models;
    RoleLabel* m_about;
    QComboBox* m_device;
    QSpinBox* m_threads;
    QSpinBox* m_context;
    QSpinBox* m_parallel;
    QComboBox* m_kv;
    QCheckBox* m_lookup;
    QCheckBox* m_prefixCache;
    QStringList m_folders; ///< added here
    bool m_searched = false;
    int m_asked = 0;
};

} // namespace decodescope
